"""`lorebase serve`: everything on this machine, in the foreground."""

import click


@click.command("serve")
def command() -> int:
    """Run PostgreSQL, the workers and the HTTP API in the foreground, until Ctrl-C.

    LOREBASE_HOME is the data folder and LOREBASE_PORT the port; docs/configuration.md lists every setting.
    """
    from chalicelib.cli.last_step import end_past_threads  # noqa: PLC0415  as below
    from chalicelib.cli.serve import serve  # noqa: PLC0415  it loads the whole server, which help can do without
    from chalicelib.cli.session import read_settings  # noqa: PLC0415  as above

    code = serve(read_settings())
    end_past_threads(code)
    return code
