"""The Chalice app. Registers the blueprints, nothing else."""

from chalice.app import Chalice

from chalicelib.http.blueprints import blueprints

app = Chalice(app_name="lorebase", configure_logs=False)

for blueprint in blueprints():
    app.register_blueprint(blueprint)
