//! Requests that say two things at once, and what answers give away about others.

use crate::it::http::raw;
use crate::it::hub::Hub;

const TOKEN: &str = "Bearer utok_00112233445566778899aabbccddeeff";

#[test]
fn a_host_or_authorization_that_comes_twice_is_refused_and_neither_counts() {
    let hub = Hub::start();
    let admin = format!("Bearer {}", hub.admin().token.unwrap());
    let twice = [
        ("Host", "localhost", "localhost"),
        ("Host", "localhost", "evil.example"),
        ("Authorization", &*admin, TOKEN),
        ("Authorization", TOKEN, &*admin),
        ("Authorization", &*admin, &*admin),
    ];
    for (name, first, second) in twice {
        let host = if name == "Host" { "" } else { "host: localhost\r\n" };
        let request = format!(
            "GET /api/auth/me HTTP/1.1\r\n{host}{name}: {first}\r\n{}: {second}\r\nconnection: close\r\n\r\n",
            name.to_ascii_uppercase()
        );
        let answer = raw(hub.address(), request.as_bytes());
        assert_eq!(answer.status, 400, "{name} {first} {second}: {}", answer.text());
        let body = answer.json();
        assert_eq!(body["error"], "duplicate header");
        let message = format!("the request has more than one `{name}` header; send it once");
        assert_eq!(body["message"], message);
    }
}

#[test]
fn the_hubs_request_ids_do_not_count_requests() {
    let hub = Hub::start();
    let ask = || hub.client().get("/health").header("x-request-id").unwrap().to_owned();
    let ids: Vec<u64> = (0..8)
        .map(|_| {
            let id = ask();
            let digits = id.strip_prefix('#').filter(|digits| digits.len() == 16);
            u64::from_str_radix(digits.unwrap_or_else(|| panic!("{id}")), 16).unwrap()
        })
        .collect();
    // Random 64-bit numbers: two neighbours this close come up once in millions of runs.
    let gaps = ids.windows(2).map(|pair| pair[0].abs_diff(pair[1]));
    assert!(gaps.min().unwrap() > 1 << 32, "{ids:x?}");
}
