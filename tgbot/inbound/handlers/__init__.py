"""One file per thing a person does. A handler reads an update, names a use case, and is done.

What a file declares is found by `tgbot.inbound.commands`: `COMMANDS`; `MENUS`, which handles
presses by the scope of their buttons; `register(app, front)` for whatever else it listens to, and
`register_last` for what is asked only once nobody else took an update. None of them waits for
Telegram before its use case has committed, but to ask who is an admin.
"""
