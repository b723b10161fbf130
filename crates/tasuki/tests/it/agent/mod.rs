//! Coding agents: the hooks of their hosts, and how a session continues the work of another.

mod connect;
mod end_to_end;
mod hook;
mod hook_shapes;
mod permission;
mod plugin;
mod run;
