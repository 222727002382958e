using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "site", worker = (
      modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        (name = "handle.js", esModule = embed "handle.js"),
      ],
      compatibilityDate = "2026-01-01",  # and no flag that adds Node's modules
      compatibilityFlags = ["enable_request_signal"],
      bindings = [
        (name = "SEARCHSOCKET_URL", fromEnvironment = "SEARCHSOCKET_URL"),
        (name = "SEARCHSOCKET_API_KEY", fromEnvironment = "SEARCHSOCKET_API_KEY"),
      ],
      globalOutbound = "machine",
    )),
    (name = "machine", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", http = (), service = "site")],
);
