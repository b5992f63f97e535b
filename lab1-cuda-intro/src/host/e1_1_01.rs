//! Handlers of exercise 1.1.1: create, build and run the project.
