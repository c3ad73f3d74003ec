"""The exceptions that scripts of packages raise and catch."""


class SolException(Exception):
    message = 'An exception occurred.'

    def __init__(self, sol_detail=None, **details):
        self.detail = sol_detail or (self.message % details if details else self.message)
        super().__init__(self.detail)


class SolHttpError400(SolException):
    message = 'Bad request.'


class SolHttpError422(SolException):
    message = 'Unprocessable entity.'


class UserDataClassNotImplemented(SolHttpError400):
    message = 'The user data class has no method for this operation.'
