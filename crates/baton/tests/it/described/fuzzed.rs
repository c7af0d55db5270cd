//! schemathesis calls a live hub by its own description, and finds no 5xx and no answer that is not described. What it
//! calls, what it leaves out and why is in `tests/schemathesis/schemathesis.toml`, and without a token in `nobody.toml`; what it makes up is the same each run.

use serde_json::json;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::it::clients::stage::repository;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, send, succeed, text};

/// More than three times what a run takes on two busy cores.
const PATIENCE: Duration = Duration::from_secs(170);

#[test]
fn schemathesis_finds_no_answer_that_is_not_described() {
    let repository = repository();
    let schemathesis = repository.join("target/tools/schemathesis/bin/schemathesis");
    assert!(
        schemathesis.exists() && repository.join("target/tools/schemathesis/made-from").exists(),
        "{} is not there: `make schemathesis` installs it, from the package registry of Python, which must be reachable \
         for it",
        schemathesis.display()
    );
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let helper = tenant.agent("helper");
    let tasks: Vec<_> = (0..8).map(|n| send(&tenant.user, "helper", &format!("work {n}"))).collect();
    let spare = succeed(&tenant.user.post("/api/networks", &json!({"name": "spare"})));
    let (_, bob) = hub.register("bob");
    let folder = repository.join("tests/schemathesis");
    // Made before any run: what is made up for the login fails, and then nobody logs in for a while.
    let spares = [(); 2].map(|()| hub.login(ADMIN, PASSWORD).token.unwrap());
    let (helper, spare_network, user) =
        (helper.token.unwrap(), text(&spare["network_id"]), text(&bob["user"]["user_id"]));
    let call = |config: &str| {
        // What it records for its next run goes with this one: every run is the first.
        let scratch = tempfile::tempdir().unwrap();
        let mut command = Command::new(&schemathesis);
        command
            .arg("--no-color")
            .arg("--config-file")
            .arg(folder.join(config))
            .args(["run", &format!("{}/openapi.json", hub.url())])
            .current_dir(scratch.path())
            .env("PYTHONPATH", &folder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("BATON_TOKEN", tenant.user.token.as_ref().unwrap())
            .env("BATON_SPARE_TOKEN", &spares[0])
            .env("BATON_OTHER_SPARE_TOKEN", &spares[1])
            .env("BATON_NODE_TOKEN", &helper)
            .env("BATON_NETWORK", &tenant.network_id)
            .env("BATON_SPARE_NETWORK", &spare_network)
            .env("BATON_USER", &user)
            .env("BATON_TASKS", tasks.join(","));
        let (is_done, said) = run(&mut command);
        assert!(is_done, "{said}");
        assert!(said.contains("Tested: "), "{said}");
        assert_eq!(hub.client().get("/health").status, 200);
    };
    call("schemathesis.toml");
    call("nobody.toml");
}

/// Runs to its end within bounds: whether it found nothing, and what it printed.
fn run(command: &mut Command) -> (bool, String) {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipes: Vec<Box<dyn Read + Send>> =
        vec![Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
    let (done, ended) = std::sync::mpsc::channel();
    for mut pipe in pipes.drain(..) {
        let done = done.clone();
        std::thread::spawn(move || {
            let mut said = String::new();
            let _ = pipe.read_to_string(&mut said);
            let _ = done.send(said);
        });
    }
    drop(done);
    let deadline = Instant::now() + PATIENCE;
    let mut all = String::new();
    loop {
        match ended.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(said) => all.push_str(&said),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                return (child.wait().unwrap().success(), all);
            }
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                child.kill().unwrap();
                child.wait().unwrap();
                return (false, format!("schemathesis did not end in time\n{all}"));
            }
        }
    }
}
