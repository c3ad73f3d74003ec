import abc

from tacker.sol_refactored.common import exceptions as sol_ex


class AbstractUserData(metaclass=abc.ABCMeta):
    """The base of a user data class of version 2.

    Its methods are static: `method(req, inst, grant_req, grant, tmp_csar_dir)`. Each returns what Heat is to get:
    `template`, `files` and `parameters`, all of it for a new stack; for a later operation only what changes.
    """


def _not_implemented(req, inst, grant_req, grant, tmp_csar_dir):
    raise sol_ex.UserDataClassNotImplemented()


for _method in ('instantiate', 'scale', 'scale_rollback', 'change_ext_conn', 'change_ext_conn_rollback', 'heal',
                'change_vnfpkg', 'change_vnfpkg_rollback'):
    setattr(AbstractUserData, _method, staticmethod(_not_implemented))
