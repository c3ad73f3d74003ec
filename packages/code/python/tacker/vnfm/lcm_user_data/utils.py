"""The functions that user data of version 1 is made with.

Each takes and gives plain dictionaries. `base_hot_dict`: the templates of a flavour, the top one as `heat_template`,
nested ones by file name. `vnfd_dict`: the file of the VNFD that describes the flavour. `inst_req_info`: the request, as
an object. A "path" is the value of a get_param with four parts: nfv, VDU or CP, a name, a key.
"""
import copy
import math
import re

TOP = 'heat_template'
SERVER = 'OS::Nova::Server'
FLAVOR = 'OS::Nova::Flavor'
PORT = 'OS::Neutron::Port'
VOLUME = 'OS::Cinder::Volume'
GROUP = 'OS::Heat::AutoScalingGroup'
SIZES = {
    'B': 1, 'kB': 1000, 'KiB': 1024, 'MB': 1000 ** 2, 'MiB': 1024 ** 2, 'GB': 1000 ** 3, 'GiB': 1024 ** 3,
    'TB': 1000 ** 4, 'TiB': 1024 ** 4,
}


def create_initial_param_dict(base_hot_dict):
    """The names under `nfv` that servers, flavors, ports and volumes ask for, each with an empty dictionary."""
    return _initial(base_hot_dict, {SERVER, FLAVOR, PORT, VOLUME})


def create_initial_param_server_port_dict(base_hot_dict):
    """As `create_initial_param_dict`, without flavors."""
    return _initial(base_hot_dict, {SERVER, PORT, VOLUME})


def _initial(base_hot_dict, types):
    initial = {'nfv': {'VDU': {}, 'CP': {}}}
    for hot in base_hot_dict.values():
        if not (hot.get('parameters') or {}).get('nfv'):
            continue
        for resource in (hot.get('resources') or {}).values():
            for path in _paths(resource, types):
                names = initial.get(path[0], {}).get(path[1])
                if names is not None:
                    names.setdefault(path[2], {})
    return initial


def _paths(resource, types):
    properties = resource.get('properties') or {}
    if resource.get('type') == GROUP:
        return _direct_paths((properties.get('resource') or {}).get('properties') or {})
    if resource.get('type') not in types:
        return []
    paths = _direct_paths(properties)
    if resource['type'] == SERVER:
        for device in properties.get('block_device_mapping_v2') or []:
            paths += _direct_paths({'image': device.get('image')})
    return paths


def _direct_paths(properties):
    found = [value['get_param'] for value in properties.values() if isinstance(value, dict) and 'get_param' in value]
    return [path for path in found if isinstance(path, list) and len(path) == 4]


def create_final_param_dict(param_dict, vdu_flavor_dict, vdu_image_dict, cpd_vl_dict):
    """Fills `flavor` and `image` of each VDU, `network` and `fixed_ips` of each connection point."""
    final = copy.deepcopy(param_dict)
    nfv = final.get('nfv', {})
    for name, vdu in nfv.get('VDU', {}).items():
        vdu['flavor'] = vdu_flavor_dict.get(name)
        vdu['image'] = vdu_image_dict.get(name)
    for name, point in (nfv.get('CP', {}) if cpd_vl_dict else {}).items():
        given = cpd_vl_dict.get(name)
        if not isinstance(given, dict):
            point['network'] = given
            continue
        if 'network' in given:
            point['network'] = given['network']
        if 'fixed_ips' in given:
            point['fixed_ips'] = list(given['fixed_ips'])
    return final


def _nodes(vnfd_dict):
    return ((vnfd_dict.get('topology_template') or {}).get('node_templates') or {}).items()


def _compute_of(node):
    return ((node.get('capabilities') or {}).get('virtual_compute') or {}).get('properties') or {}


def _size_in(text, unit):
    amount, written = re.fullmatch(r'\s*([0-9.]+)\s*([A-Za-z]+)\s*', str(text)).groups()
    units = {name.lower(): size for name, size in SIZES.items()}
    return math.ceil(float(amount) * units[written.lower()] / units[unit.lower()])


def create_vdu_flavor_dict(vnfd_dict):
    """By VDU: `vcpus`, `ram` in MiB and `disk` in GiB, as far as the VNFD gives them."""
    flavors = {}
    for name, node in _nodes(vnfd_dict):
        compute = _compute_of(node)
        if not compute:
            continue
        flavor = {}
        if 'virtual_cpu' in compute:
            flavor['vcpus'] = compute['virtual_cpu']['num_virtual_cpu']
        if 'virtual_memory' in compute:
            flavor['ram'] = _size_in(compute['virtual_memory']['virtual_mem_size'], 'MiB')
        if compute.get('virtual_local_storage'):
            flavor['disk'] = _size_in(compute['virtual_local_storage'][0]['size_of_storage'], 'GiB')
        flavors[name] = flavor
    return flavors


def create_vdu_flavor_capability_name_dict(vnfd_dict):
    """By VDU: the name of its flavor, from `requested_additional_capability_name`."""
    names = {}
    for name, node in _nodes(vnfd_dict):
        requested = _compute_of(node).get('requested_additional_capabilities') or {}
        flavor = (requested.get('properties') or {}).get('requested_additional_capability_name')
        if flavor is not None:
            names[name] = flavor
    return names


def create_vdu_image_dict(grant_info):
    """By VDU: the id of its image in the grant."""
    return {name: resources[-1].resource_identifier for name, resources in grant_info.items() if resources}


def create_sw_image_dict(vnfd_dict):
    """By VDU or storage: the name of its image, from `sw_image_data`."""
    images = {}
    for name, node in _nodes(vnfd_dict):
        image = ((node.get('properties') or {}).get('sw_image_data') or {}).get('name')
        if image is not None:
            images[name] = image
    return images


def create_cpd_vl_dict(base_hot_dict, inst_req_info):
    """By connection point that a template has as a resource: the id of its network."""
    resources = {name for hot in base_hot_dict.values() for name in hot.get('resources') or {}}
    return {
        point.cpd_id: link.resource_id
        for link in inst_req_info.ext_virtual_links or [] for point in link.ext_cps or [] if point.cpd_id in resources
    }


def create_network_dict(inst_req_info, param_dict):
    """By connection point that the parameters have: `network` and the list `fixed_ips`."""
    wanted = param_dict.get('nfv', {}).get('CP', {})
    return {
        point.cpd_id: {'network': link.resource_id, 'fixed_ips': _fixed_ips(point)}
        for link in inst_req_info.ext_virtual_links or [] for point in link.ext_cps or [] if point.cpd_id in wanted
    }


def _fixed_ips(point):
    addresses = [
        address
        for config in point.cp_config or [] for data in config.cp_protocol_data or []
        if data.ip_over_ethernet for address in data.ip_over_ethernet.ip_addresses or []
    ]
    entries = []
    for address in addresses:
        entry = {}
        if address.subnet_id:
            entry['subnet'] = address.subnet_id
        if address.fixed_addresses:
            entry['ip_address'] = address.fixed_addresses[-1]
        if entry:
            entries.append(entry)
    return entries


def get_diff_base_hot_param_from_api(base_hot_dict, inst_req_info):
    """The parameters of the top template that `additional_params` has by their names."""
    given = inst_req_info.additional_params or {}
    return {name: given[name] for name in base_hot_dict[TOP].get('parameters') or {} if given.get(name)}


def create_desired_capacity_dict(base_hot_dict, vnfd_dict, inst_req_info):
    """By scaling aspect: the number of servers at the instantiation level of the request."""
    return {
        name: aspect['initial'] + aspect['step'] * aspect['level']
        for name, aspect in _aspects(base_hot_dict, vnfd_dict, inst_req_info.instantiation_level_id).items()
    }


def get_desired_capacity_dict(base_hot_dict, vnfd_dict, inst_vnf_info):
    """By scaling aspect: the number of servers at its present scale level."""
    levels = {status.aspect_id: status.scale_level for status in inst_vnf_info.scale_status or []}
    return {
        name: aspect['initial'] + aspect['step'] * levels[name]
        for name, aspect in _aspects(base_hot_dict, vnfd_dict, None).items() if name in levels
    }


def _aspects(base_hot_dict, vnfd_dict, level_id):
    if not any(resource.get('type') == GROUP for resource in (base_hot_dict[TOP].get('resources') or {}).values()):
        return {}
    initial = {
        target: policy['properties']['initial_delta']['number_of_instances']
        for policy in _policies(vnfd_dict, 'VduInitialDelta') for target in policy.get('targets') or []
    }
    levels = {}
    for policy in _policies(vnfd_dict, 'InstantiationLevels'):
        chosen = policy['properties']['levels'][level_id or policy['properties']['default_level']] or {}
        levels.update({name: of['scale_level'] for name, of in (chosen.get('scale_info') or {}).items()})
    aspects = {}
    for policy in _policies(vnfd_dict, 'VduScalingAspectDeltas'):
        properties = policy['properties']
        first = next((target for target in policy.get('targets') or [] if target in initial), None)
        steps = [delta['number_of_instances'] for delta in properties['deltas'].values()]
        if first is not None and steps:
            name = properties['aspect']
            aspects[name] = {'initial': initial[first], 'step': steps[-1], 'level': levels.get(name, 0)}
    return aspects


def _policies(vnfd_dict, kind):
    policies = (vnfd_dict.get('topology_template') or {}).get('policies') or []
    entries = [policies] if isinstance(policies, dict) else policies
    return [
        policy for entry in entries for policy in entry.values() if policy.get('type') == 'tosca.policies.nfv.' + kind
    ]
