//! A server that speaks S3 and is not ours: PyPI's moto, which `make s3` installs. It ends with the value that stands for
//! it. The tests of the binary and those of its modules both use it, so there is nothing of either in here.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The bucket that is there.
pub(crate) const BUCKET: &str = "artifacts-of-a-test";

/// A server that speaks S3, with one bucket.
pub(crate) struct Moto {
    pub(crate) server: Child,
    address: SocketAddr,
}

impl Moto {
    pub(crate) fn start() -> Self {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/s3/bin/moto_server");
        assert!(program.exists(), "{} is not there: `make s3` installs it", program.display());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        let mut server = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
        lines.find(|line| line.as_ref().unwrap().contains("Running on")).unwrap().unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        let moto = Self { server, address: ([127, 0, 0, 1], port).into() };
        assert_eq!(moto.call("PUT", "", b"").0, 200);
        moto
    }

    /// Where it is.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Calls the bucket without the hub: the status, and everything that was answered.
    pub(crate) fn call(&self, method: &str, path: &str, body: &[u8]) -> (u16, String) {
        let mut socket = TcpStream::connect(self.address).unwrap();
        let head = format!(
            "{method} /{BUCKET}{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: AWS test:test\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            self.address,
            body.len()
        );
        socket.write_all(head.as_bytes()).unwrap();
        socket.write_all(body).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("no answer: {answer}")), answer)
    }

    /// The keys of all objects.
    pub(crate) fn keys(&self) -> Vec<String> {
        let listed = self.call("GET", "?list-type=2", b"").1;
        let rest = listed.split("<Key>").skip(1);
        rest.map(|key| key.split("</Key>").next().unwrap().to_owned()).collect()
    }

    /// How many uploads have not ended.
    pub(crate) fn unfinished(&self) -> usize {
        self.call("GET", "?uploads", b"").1.matches("<UploadId>").count()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have been ended by its test.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
