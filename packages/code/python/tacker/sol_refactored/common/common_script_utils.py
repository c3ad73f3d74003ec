"""The functions that user data of version 2 is made with. Requests, grants and instances are dictionaries."""
from tacker.sol_refactored.common import vnfd_utils


def get_vnfd(vnfd_id, csar_dir):
    vnfd = vnfd_utils.Vnfd(vnfd_id)
    vnfd.init_from_csar_dir(csar_dir)
    return vnfd


def init_nfv_dict(hot_template):
    """Everything under `nfv` that the resources ask for by a get_param of four parts or more; each value is None."""
    nfv = {}
    for resource in (hot_template.get('resources') or {}).values():
        for path in _get_params(resource.get('properties')):
            if not isinstance(path, list) or len(path) < 4 or path[0] != 'nfv':
                continue
            place = nfv
            for name in path[1:-1]:
                place = place.setdefault(name, {})
            place[path[-1]] = None
    return nfv


def _get_params(value):
    if isinstance(value, list):
        return [path for item in value for path in _get_params(item)]
    if not isinstance(value, dict):
        return []
    return [path for name, item in value.items() for path in ([item] if name == 'get_param' else _get_params(item))]


def _asset(grant, assets, name_member, name, value_member):
    for asset in grant.get('vimAssets', {}).get(assets, []):
        if asset[name_member] == name:
            return asset[value_member]
    return None


def get_param_flavor(vdu_name, flavour_id, vnfd, grant):
    granted = _asset(grant, 'computeResourceFlavours', 'vnfdVirtualComputeDescId', vdu_name, 'vimFlavourId')
    return granted or vnfd.get_compute_flavor(flavour_id, vdu_name)


def get_param_image(vdu_name, flavour_id, vnfd, grant, fallback_vnfd=True):
    granted = _asset(grant, 'softwareImages', 'vnfdSoftwareImageId', vdu_name, 'vimSoftwareImageId')
    if granted or not fallback_vnfd:
        return granted
    return vnfd.get_sw_image(flavour_id).get(vdu_name)


def _zone_of(definition_id, grant):
    zones = {zone['id']: zone['zoneId'] for zone in grant.get('zones', [])}
    for resource in grant.get('addResources', []):
        if resource['resourceDefinitionId'] == definition_id:
            return zones.get(resource.get('zoneId'))
    return None


def get_param_zone(vdu_name, grant_req, grant):
    """The zone of the first new server of a VDU that has one."""
    for definition in grant_req.get('addResources', []):
        zone = _zone_of(definition['id'], grant) if definition.get('resourceTemplateId') == vdu_name else None
        if zone:
            return zone
    return None


def get_param_zone_by_vnfc(res_id, grant):
    return _zone_of(res_id, grant)


def get_current_capacity(vdu_name, inst):
    vnfcs = inst.get('instantiatedVnfInfo', {}).get('vnfcResourceInfo', [])
    return sum(1 for vnfc in vnfcs if vnfc['vduId'] == vdu_name)


def get_param_capacity(vdu_name, inst, grant_req):
    """Servers of a VDU after the operation."""

    def count(member):
        definitions = grant_req.get(member, [])
        return sum(1 for one in definitions if one['type'] == 'COMPUTE' and one.get('resourceTemplateId') == vdu_name)

    return get_current_capacity(vdu_name, inst) + count('addResources') - count('removeResources')


def _requested_point(cp_name, grant, req):
    for link in grant.get('extVirtualLinks', []) + req.get('extVirtualLinks', []):
        for point in link['extCps']:
            if point['cpdId'] == cp_name:
                return link['resourceId'], point
    return None, None


def _current_point(cp_name, inst):
    for link in inst['instantiatedVnfInfo'].get('extVirtualLinkInfo', []):
        for point in link.get('currentVnfExtCpData', []):
            if point['cpdId'] == cp_name:
                return link['resourceHandle']['resourceId'], point
    return None, None


def _fixed_ips(point):
    if point is None:
        return None
    addresses = [
        address
        for config in point['cpConfig'].values() for data in config.get('cpProtocolData', [])
        for address in data.get('ipOverEthernet', {}).get('ipAddresses', [])
    ]
    entries = []
    for address in addresses:
        entry = {}
        if address.get('fixedAddresses'):
            entry['ip_address'] = str(address['fixedAddresses'][0])
        if 'subnetId' in address:
            entry['subnet'] = address['subnetId']
        if entry:
            entries.append(entry)
    return entries


def get_param_network(cp_name, grant, req):
    return _requested_point(cp_name, grant, req)[0]


def get_param_fixed_ips(cp_name, grant, req):
    return _fixed_ips(_requested_point(cp_name, grant, req)[1])


def get_param_network_from_inst(cp_name, inst):
    return _current_point(cp_name, inst)[0]


def get_param_fixed_ips_from_inst(cp_name, inst):
    return _fixed_ips(_current_point(cp_name, inst)[1])


def apply_ext_managed_vls(hot_dict, req, grant):
    """Takes networks that are given out of the template, with their subnets, and names them in their place."""
    for link in grant.get('extManagedVirtualLinks', []) + req.get('extManagedVirtualLinks', []):
        _use_network(hot_dict, link['vnfVirtualLinkDescId'], link['resourceId'])


def apply_ext_managed_vls_from_inst(hot_dict, inst):
    for link in inst['instantiatedVnfInfo'].get('extManagedVirtualLinkInfo') or []:
        _use_network(hot_dict, link['vnfVirtualLinkDescId'], link['networkResource']['resourceId'])


def _use_network(hot_dict, name, network_id):
    reference = {'get_resource': name}
    resources = hot_dict.get('resources') or {}

    def is_its_subnet(resource):
        properties = resource.get('properties') or {}
        return resource['type'] == 'OS::Neutron::Subnet' and properties.get('network') == reference

    gone = [other for other, resource in resources.items() if other == name or is_its_subnet(resource)]
    for other in gone:
        del resources[other]
    for other in list(resources):
        resources[other] = _replaced(resources[other], reference, network_id)


def _replaced(value, reference, network_id):
    if value == reference:
        return network_id
    if isinstance(value, dict):
        return {name: _replaced(item, reference, network_id) for name, item in value.items()}
    return [_replaced(item, reference, network_id) for item in value] if isinstance(value, list) else value
