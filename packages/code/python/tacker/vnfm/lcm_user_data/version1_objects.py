"""Requests and instances as version 1 of the contract has them: objects with members in snake case.

A member that is absent is None. Maps that version 1 of the API has as lists are lists. The values of free maps
(`additional_params`, `metadata`, …) stay dictionaries with the keys that the request has.
"""
import re

FREE = {
    'additionalParams', 'metadata', 'extensions', 'vnfConfigurableProperties', 'accessInfo', 'interfaceInfo', 'extra',
}
LISTS = {'cpConfig', 'vimConnectionInfo'}


class Record(dict):
    """A dictionary whose members are attributes, too."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return self.get(name)


class VnfResource:
    """A resource of the grant: the image of a VDU."""

    def __init__(self, resource_identifier):
        self.resource_identifier = resource_identifier


def from_json(value):
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    return Record((snake_case(name), member(name, of)) for name, of in value.items())


def member(name, value):
    if name in FREE:
        return value
    if name in LISTS and isinstance(value, dict):
        return [from_json({'id': key, **item}) for key, item in value.items()]
    return from_json(value)


def snake_case(name):
    return re.sub(r'(?<=[a-z0-9])([A-Z])', r'_\1', name).lower()
