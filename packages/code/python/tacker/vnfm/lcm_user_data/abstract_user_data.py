import abc

from tacker.extensions import vnfm


class AbstractUserData(metaclass=abc.ABCMeta):
    """The base of a user data class of version 1. `scale` and `heal` are methods that it may have besides."""

    @staticmethod
    @abc.abstractmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        raise vnfm.LCMUserDataFailed(reason='the class has no method instantiate')
