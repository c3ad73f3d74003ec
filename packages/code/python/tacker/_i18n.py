"""Messages are not translated."""


def _(message):
    return message
