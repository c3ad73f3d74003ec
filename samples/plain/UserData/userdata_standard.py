# vnflow has StandardUserData built in and never runs this file. It is here so that the same package works in Tacker.
from tacker.sol_refactored.infra_drivers.openstack.userdata.userdata_standard import StandardUserData  # noqa: F401
