"""The exceptions that scripts of packages raise."""


class TackerException(Exception):
    message = 'An unknown exception occurred.'

    def __init__(self, **details):
        self.msg = self.message % details if details else self.message
        super().__init__(self.msg)


class MgmtDriverOtherError(TackerException):
    message = 'Mgmt driver other error: %(error_message)s'


class MgmtDriverNotFound(TackerException):
    message = 'Mgmt driver not found: %(param)s'


class MgmtDriverParamInvalid(TackerException):
    message = 'Mgmt driver parameter invalid: %(param)s'


class MgmtDriverRemoteCommandError(TackerException):
    message = 'Mgmt driver remote command error: %(err_info)s'
