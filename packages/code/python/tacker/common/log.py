"""The decorator that writes calls into Tacker's log: here it changes nothing."""


def log(method):
    return method
