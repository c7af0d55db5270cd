//! A server that speaks S3 and is not ours: PyPI's moto, which `make s3` installs.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::it::http;
use crate::it::hub::{ADMIN, Hub, PASSWORD};

const BUCKET: &str = "artifacts-of-a-test";

/// A server that speaks S3, with one bucket.
pub(super) struct S3 {
    pub(super) server: Child,
    address: SocketAddr,
}

impl S3 {
    pub(super) fn start() -> Self {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/s3/bin/moto_server");
        assert!(program.exists(), "{} is not there: `make s3` installs it", program.display());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        let mut server = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
        lines.find(|line| line.as_ref().unwrap().contains("Running on")).unwrap().unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        let s3 = Self { server, address: ([127, 0, 0, 1], port).into() };
        assert_eq!(s3.call("PUT", "").0, 200);
        s3
    }

    /// Calls the bucket without the hub.
    fn call(&self, method: &str, path: &str) -> (u16, String) {
        let request = format!(
            "{method} /{BUCKET}{path} HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            self.address
        );
        let answer = http::raw(self.address, request.as_bytes());
        (answer.status, answer.text())
    }

    /// How many objects there are, and how many uploads that have not ended.
    pub(super) fn counts(&self) -> (usize, usize) {
        let count = |path: &str, what: &str| self.call("GET", path).1.matches(what).count();
        (count("?list-type=2", "<Key>"), count("?uploads", "<UploadId>"))
    }

    /// A hub that keeps artifacts here.
    pub(super) fn hub(&self) -> Hub {
        let endpoint = format!("http://{}", self.address);
        let options =
            ["--username", ADMIN, "--password", PASSWORD, "--artifacts", &format!("s3://{BUCKET}/of/baton")];
        let environment = [
            ("AWS_ENDPOINT_URL", &*endpoint),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_REGION", "us-east-1"),
        ];
        Hub::start_with_env(&options, &environment)
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
