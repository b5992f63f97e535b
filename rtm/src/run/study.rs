//! Studies of strategies and boundaries: tables and plots that one command makes.
