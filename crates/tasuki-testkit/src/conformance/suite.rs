//! The list of proofs, as tests.

/// Makes a `#[test]` of every proof of the conformance suite.
///
/// The argument is a function that gives a fresh store, and whatever must live as long as it: a
/// temporary folder, a database that is dropped.
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
            a_project_that_is_not_there_does_not_open
            the_head_is_the_one_that_was_committed
            nothing_is_visible_before_the_commit_and_everything_after
            a_dropped_transaction_leaves_no_trace
            two_transactions_on_one_project_exclude_each_other
            two_transactions_on_two_projects_do_not_wait_for_each_other
            projects_share_nothing
            a_handoff_in_every_state_comes_back_as_it_was
            a_handoff_comes_with_its_parent_and_its_child
            only_the_live_handoff_of_a_task_is_loaded
            only_an_open_handoff_is_found_by_its_fingerprint
            all_open_handoffs_of_a_task_are_found_by_it
            offers_are_loaded_by_risk_then_by_how_long_they_wait
            claims_of_an_older_epoch_are_loaded
            each_handoff_is_loaded_once
            what_is_due_comes_earliest_first
            a_handoff_is_due_only_as_long_as_its_row_says_so
            a_key_is_remembered_with_its_scope
            a_key_may_be_forgotten_only_when_its_time_is_over
            documents_come_back_byte_for_byte
            documents_come_oldest_first_and_by_kind
            leaves_come_in_order_from_a_number_on
            leaves_of_a_handoff_are_its_own
            records_replace_by_key_and_the_last_written_comes_last
            every_kind_of_record_comes_back_as_it_was
            a_person_has_one_password
            a_session_is_kept_touched_and_ended
            a_session_ends_with_its_time_and_with_the_password
            the_last_use_of_a_token_is_kept
            the_last_heartbeat_is_that_of_any_server
            a_cursor_stands_where_it_was_put
            a_cursor_moves_with_the_attempts_that_moved_it
            attempts_come_newest_first_and_are_forgotten_with_their_subscription
            only_the_newest_attempts_are_kept
            pages_of_attempts_are_all_of_them
            deliveries_are_written_beside_the_line
            each_field_of_a_query_narrows_the_list
            fields_of_a_query_narrow_together
            a_return_is_found_by_who_judges_it_in_place_of_its_sender
            a_return_of_its_own_sender_is_found_by_that
            a_return_is_found_by_its_judge_as_long_as_it_is_one
            pages_give_every_row_once_in_every_order
            a_page_goes_on_after_a_row_that_no_longer_matches
            a_list_goes_on_behind_a_place
            counts_equal_a_recount
            search_finds_all_words_by_their_beginnings
            search_gives_the_newest_first_and_stops_at_the_limit
            search_finds_the_reasons_of_events
            search_takes_any_text_for_words
            search_knows_letters_beyond_ascii
            a_document_of_a_megabyte_is_kept
            a_thousand_handoffs_fit_into_one_commit
            a_store_answers_like_the_memory_store
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

    /// A proof that is not in the list would never run.
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
