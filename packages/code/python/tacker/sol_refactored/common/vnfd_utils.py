"""The VNFD of a package, as vnflow has read it: the file beside the package has every flavour as JSON."""
import copy
import json
import os

COMPUTE = 'tosca.nodes.nfv.Vdu.Compute'
STORAGE = 'tosca.nodes.nfv.Vdu.VirtualBlockStorage'
LINK = 'tosca.nodes.nfv.VnfVirtualLink'
POINT = 'tosca.nodes.nfv.VduCp'


class Vnfd:
    """Gives copies: a script may change what it gets."""

    def __init__(self, vnfd_id):
        self.vnfd_id = vnfd_id
        self.csar_dir = None
        self._flavours = {}

    def init_from_csar_dir(self, csar_dir):
        self.csar_dir = csar_dir
        with open(os.path.join(os.path.dirname(os.path.abspath(csar_dir)), 'flavours.json'), encoding='utf-8') as file:
            self._flavours = json.load(file)

    def get_vnfd_flavour(self, flavour_id):
        return copy.deepcopy(self._flavours.get(flavour_id, {}).get('vnfd'))

    def get_base_hot(self, flavour_id):
        return copy.deepcopy(self._flavours.get(flavour_id, {}).get('baseHot', {}))

    def get_nodes(self, flavour_id, node_type):
        return {name: node for name, node in self._all_nodes(flavour_id).items() if node['type'] == node_type}

    def get_vdu_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, COMPUTE)

    def get_storage_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, STORAGE)

    def get_virtual_link_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, LINK)

    def get_vducp_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, POINT)

    def get_vdu_cps(self, flavour_id, vdu_name):
        points = self.get_vducp_nodes(flavour_id).items()
        return [name for name, node in points if vdu_name in _required(node, 'virtual_binding')]

    def get_vdu_storages(self, vdu_node):
        return _required(vdu_node, 'virtual_storage')

    def get_vl_name_from_cp(self, flavour_id, cp_data):
        return next(iter(_required(cp_data, 'virtual_link')), None)

    def get_sw_image_data(self, flavour_id):
        found = {}
        for name, node in self._all_nodes(flavour_id).items():
            image = (node.get('properties') or {}).get('sw_image_data')
            if node['type'] in (COMPUTE, STORAGE) and image:
                found[name] = dict(image)
                artifact = (node.get('artifacts') or {}).get('sw_image')
                file = artifact.get('file') if isinstance(artifact, dict) else artifact
                if file:
                    found[name]['file'] = file
        return found

    def get_sw_image(self, flavour_id):
        return {name: image['name'] for name, image in self.get_sw_image_data(flavour_id).items()}

    def get_compute_flavor(self, flavour_id, vdu_name):
        value = self._all_nodes(flavour_id).get(vdu_name) or {}
        for name in ('capabilities', 'virtual_compute', 'properties', 'requested_additional_capabilities', 'properties',
                     'requested_additional_capability_name'):
            value = (value or {}).get(name)
        return value

    def get_policy_values_by_type(self, flavour_id, policy_type):
        policies = (self._topology(flavour_id).get('policies')) or []
        entries = [policies] if isinstance(policies, dict) else policies
        return [policy for entry in entries for policy in entry.values() if policy['type'] == policy_type]

    def get_default_instantiation_level(self, flavour_id):
        for policy in self.get_policy_values_by_type(flavour_id, 'tosca.policies.nfv.InstantiationLevels'):
            return (policy.get('properties') or {}).get('default_level')
        return None

    def get_vdu_num(self, flavour_id, vdu_name, instantiation_level):
        for policy in self.get_policy_values_by_type(flavour_id, 'tosca.policies.nfv.VduInstantiationLevels'):
            if vdu_name in policy.get('targets', []):
                levels = (policy.get('properties') or {}).get('levels') or {}
                return levels.get(instantiation_level, {}).get('number_of_instances')
        return 0

    def _topology(self, flavour_id):
        return (self.get_vnfd_flavour(flavour_id) or {}).get('topology_template') or {}

    def _all_nodes(self, flavour_id):
        return self._topology(flavour_id).get('node_templates') or {}


def _required(node, name):
    return [requirement[name] for requirement in node.get('requirements') or [] if name in requirement]
