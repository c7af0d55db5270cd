//! Checkpoints as signed notes: opened by the `signed_note` and `tlog_tiles` crates, and refused by name when
//! anything about them is changed.

use baton_evidence::log::leaf_hash;
use baton_evidence::note::{Checkpoint, KeyError, NoteError, SigningKey, VerifierKey};
use signed_note::{Note, StandardSigner, StandardVerifier, VerifierList};

fn key(seed: u8) -> SigningKey {
    SigningKey::from_seed([seed; 32], "baton-hub").unwrap()
}

fn checkpoint() -> Checkpoint {
    Checkpoint { origin: "baton/net-1".into(), size: 923_748, root: leaf_hash(b"a root") }
}

fn cosigned(note: &str, by: &SigningKey) -> String {
    let mut note = Note::from_bytes(note.as_bytes()).unwrap();
    note.add_sigs(&[&StandardSigner::new(&by.to_text()).unwrap()]).unwrap();
    String::from_utf8(note.to_bytes()).unwrap()
}

#[test]
fn a_checkpoint_is_opened_by_tools_that_are_not_ours() {
    let note = checkpoint().sign(&key(1)).unwrap();
    let verifier = StandardVerifier::new(&key(1).verifier_key().to_string()).unwrap();
    let theirs = Note::from_bytes(note.as_bytes()).unwrap();
    let (verified, unknown) = theirs.verify(&VerifierList::new(vec![Box::new(verifier)])).unwrap();
    assert_eq!((verified.len(), unknown.len()), (1, 0));
    let parsed = tlog_tiles::Checkpoint::from_bytes(theirs.text()).unwrap();
    assert_eq!(parsed.origin(), "baton/net-1");
    assert_eq!(parsed.size(), 923_748);
    assert_eq!(parsed.hash().0, checkpoint().root.0);
    assert_eq!(Checkpoint::open(&note, &key(1).verifier_key()), Ok(checkpoint()));
    assert_eq!(checkpoint().network_id(), Some("net-1"));
}

#[test]
fn the_published_vector_of_signed_notes_has_our_key_form() {
    // From c2sp.org/signed-note's Go implementation.
    let text = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    let key = SigningKey::parse(&format!("{text}\n")).unwrap();
    assert_eq!(*key.to_text(), text);
    let verifier = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert_eq!(key.verifier_key().to_string(), verifier);
    assert_eq!(VerifierKey::parse(verifier).unwrap(), key.verifier_key());
}

#[test]
fn cosignatures_by_others_are_passed_over() {
    let note = checkpoint().sign(&key(1)).unwrap();
    let witness = SigningKey::from_seed([9; 32], "witness.example/w1").unwrap();
    let cosigned = cosigned(&note, &witness);
    assert_eq!(cosigned.lines().count(), 6);
    assert_eq!(Checkpoint::open(&cosigned, &key(1).verifier_key()), Ok(checkpoint()));
    assert_eq!(Checkpoint::open(&cosigned, &witness.verifier_key()), Ok(checkpoint()));
}

#[test]
fn another_key_is_named_even_under_the_same_name() {
    let note = checkpoint().sign(&key(1)).unwrap();
    assert_eq!(Checkpoint::open(&note, &key(2).verifier_key()), Err(NoteError::OtherKey));
}

#[test]
fn no_changed_byte_of_a_note_goes_unseen() {
    let note = checkpoint().sign(&key(1)).unwrap();
    let verifier = key(1).verifier_key();
    for at in 0..note.len() {
        for change in [1, 2, 0x20, 0x80] {
            let mut bytes = note.clone().into_bytes();
            bytes[at] ^= change;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            assert!(Checkpoint::open(&changed, &verifier).is_err(), "byte {at}: {changed}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_note_is_named() {
    let note = checkpoint().sign(&key(1)).unwrap();
    let open = |note: &str| Checkpoint::open(note, &key(1).verifier_key()).unwrap_err();
    assert_eq!(open(&note.replace("923748", "923749")), NoteError::Signature);
    let (text, _) = note.split_once("\n\n").unwrap();
    assert_eq!(open(&format!("{text}\n")), NoteError::Unsigned);
    assert_eq!(open(&format!("{text}\n\n")), NoteError::Unsigned);
    assert_eq!(open(note.trim_end()), NoteError::Malformed);
    assert_eq!(open(&format!("{note}\u{2014} x\n")), NoteError::Malformed);
    assert_eq!(open(&note.replace("baton-hub", "baton-hut")), NoteError::OtherKey);
    assert_eq!(open(&"x".repeat(70_000)), NoteError::TooLong);
}

#[test]
fn a_signed_text_that_is_no_checkpoint_is_refused() {
    let root = leaf_hash(b"a root");
    let open = |text: String| {
        let mut note = Note::new(text.as_bytes(), &[]).unwrap();
        note.add_sigs(&[&StandardSigner::new(&key(1).to_text()).unwrap()]).unwrap();
        Checkpoint::open(&String::from_utf8(note.to_bytes()).unwrap(), &key(1).verifier_key())
    };
    assert!(open(format!("baton/n\n7\n{root}\n")).is_ok());
    assert!(open(format!("baton/n\n7\n{root}\nextension\n")).is_ok());
    for text in [
        format!("baton/n\n07\n{root}\n"),
        format!("baton/n\n+7\n{root}\n"),
        format!("baton/n\n18446744073709551616\n{root}\n"),
        format!("baton/n\n7\n{root}=\n"),
        format!("baton/n\n7\n{root}\n\nextension\n"),
        "baton/n\n7\n".to_owned(),
    ] {
        assert_eq!(open(text.clone()), Err(NoteError::NotACheckpoint), "{text}");
    }
    assert_eq!(open(format!("baton n\n7\n{root}\n")), Err(NoteError::Origin));
}

#[test]
fn an_origin_that_would_break_the_note_is_not_signed() {
    for origin in ["", "baton/a b", "baton/a\n5", "baton/a+b", "baton/\u{7f}", "baton/a\u{2003}b"] {
        let checkpoint = Checkpoint { origin: origin.into(), ..checkpoint() };
        assert_eq!(checkpoint.sign(&key(1)), Err(NoteError::Origin), "{origin:?}");
    }
}

#[test]
fn keys_that_are_none_are_named() {
    let good = key(1).verifier_key().to_string();
    assert_eq!(VerifierKey::parse("baton-hub"), Err(KeyError::Format));
    assert_eq!(VerifierKey::parse(&good.replace("baton-hub", "baton-hut")), Err(KeyError::Hash));
    assert_eq!(VerifierKey::parse(&good[..good.len() - 4]), Err(KeyError::Hash));
    assert_eq!(SigningKey::from_seed([1; 32], "a b").unwrap_err(), KeyError::Name);
    assert_eq!(SigningKey::from_seed([1; 32], "a+b").unwrap_err(), KeyError::Name);
    assert_eq!(SigningKey::parse(&good).unwrap_err(), KeyError::Format);
    // The neutral element: a signature of all zeros and this key pass for any text.
    let mut weak = [0; 32];
    weak[0] = 1;
    let weak = ed25519_dalek::VerifyingKey::from_bytes(&weak).unwrap();
    assert_eq!(VerifierKey::parse(&signed_note::new_ed25519_verifier_key("w", &weak)), Err(KeyError::Weak));
}

#[test]
fn the_secret_is_not_printed() {
    let key = key(1);
    let printed = format!("{key:?}");
    let secret = key.to_text().splitn(5, '+').nth(4).unwrap().to_owned();
    assert!(printed.contains("baton-hub") && !printed.contains(&secret), "{printed}");
    assert_eq!(*SigningKey::parse(&key.to_text()).unwrap().to_text(), *key.to_text());
}
