from tgbot.soak.virtual import *  # noqa
from tgbot.soak.virtual import BEGAN, VirtualDatetime, VirtualLoop, now  # noqa
