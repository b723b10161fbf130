//! The list of cases, as tests.

/// Creates a `#[test]` for every case of the conformance suite.
///
/// The argument is a function that returns a new store and a guard that must live as long, such as
/// a temporary folder.
///
/// ```
/// # use tasuki_testkit::memory::MemoryStore;
/// tasuki_testkit::store_conformance!(|| (MemoryStore::new(), ()));
/// ```
#[macro_export]
macro_rules! store_conformance {
    ($make:expr) => {
        $crate::store_conformance! { $make =>
            a_project_is_created_once
            projects_are_listed_by_name
            an_unknown_project_does_not_open
            the_committed_head_is_returned
            nothing_is_visible_before_the_commit_and_everything_after
            a_dropped_transaction_leaves_no_trace
            two_transactions_on_one_project_exclude_each_other
            two_transactions_on_two_projects_do_not_wait_for_each_other
            projects_share_nothing
            a_handoff_in_every_state_is_returned_unchanged
            a_handoff_is_loaded_with_its_parent_and_child
            only_the_live_handoff_of_a_task_is_loaded
            only_an_open_handoff_is_found_by_its_fingerprint
            all_open_handoffs_of_a_task_are_found_by_it
            the_last_decision_about_a_task_is_found_by_it
            offers_are_loaded_by_risk_then_by_age
            claims_of_an_older_epoch_are_loaded
            each_handoff_is_loaded_once
            due_handoffs_are_listed_earliest_first
            a_handoff_is_due_only_while_its_row_has_a_due_time
            a_key_is_remembered_with_its_scope
            a_key_is_kept_until_it_expires
            documents_are_returned_byte_for_byte
            documents_are_listed_oldest_first_and_by_kind
            leaves_are_listed_in_order_from_a_number_on
            leaves_of_a_handoff_are_its_own
            records_are_replaced_by_key_and_the_newest_is_last
            every_kind_of_record_is_returned_unchanged
            a_person_has_one_password
            a_session_is_kept_touched_and_ended
            a_mailed_code_is_taken_once_and_deleted_when_it_has_expired
            a_session_ends_with_its_time_and_with_the_password
            the_last_use_of_a_token_is_kept
            the_last_heartbeat_is_that_of_any_server
            a_cursor_is_returned_as_written
            a_cursor_is_written_with_its_attempts
            attempts_are_listed_newest_first_and_deleted_with_their_subscription
            only_the_newest_attempts_are_kept
            pages_of_attempts_give_the_whole_list
            deliveries_do_not_block_the_writer
            each_field_of_a_query_narrows_the_list
            all_fields_of_a_query_must_match
            a_return_is_found_by_its_substitute_verifier
            a_return_that_its_sender_may_not_verify_is_found
            a_return_is_found_by_its_verifier_only_while_returned
            a_failure_is_found_until_its_party_acknowledges_it
            pages_give_every_row_once_in_every_order
            a_page_continues_after_a_row_that_no_longer_matches
            a_list_continues_after_a_position
            a_list_by_deadline_is_complete_in_pages
            the_risk_of_an_action_counts_in_the_order
            counts_equal_a_recount
            search_finds_all_words_by_their_beginnings
            search_returns_the_newest_first_up_to_the_limit
            search_finds_the_reasons_of_events
            search_treats_any_text_as_words
            search_supports_letters_beyond_ascii
            a_document_of_a_megabyte_is_kept
            a_thousand_handoffs_fit_into_one_commit
            a_store_behaves_like_the_memory_store
        }
    };
    ($make:expr => $($proof:ident)+) => {
        $(
            #[test]
            fn $proof() {
                $crate::conformance::$proof($make);
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    use crate::memory::MemoryStore;

    store_conformance!(|| (MemoryStore::new(), ()));

    /// A case that is not in the list would never run.
    #[test]
    fn every_proof_is_in_the_list() {
        let list = include_str!("suite.rs");
        for source in [
            include_str!("deliveries.rs"),
            include_str!("directory.rs"),
            include_str!("documents.rs"),
            include_str!("due.rs"),
            include_str!("loading.rs"),
            include_str!("log.rs"),
            include_str!("model.rs"),
            include_str!("people.rs"),
            include_str!("queries.rs"),
            include_str!("idempotency.rs"),
            include_str!("scale.rs"),
            include_str!("search.rs"),
            include_str!("transactions.rs"),
        ] {
            for rest in source.split("\npub fn ").skip(1) {
                let name = rest.split(['<', '(']).next().unwrap();
                assert!(list.contains(&format!("            {name}\n")), "{name}");
            }
        }
    }
}
