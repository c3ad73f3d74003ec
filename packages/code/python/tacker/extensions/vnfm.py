class LCMUserDataFailed(Exception):
    """User data could not be made."""

    def __init__(self, reason=''):
        super().__init__('LCM user data failed: {}'.format(reason))
