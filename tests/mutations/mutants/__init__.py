"""Every mutant, by area."""

from tests.mutations.mutants import answers, living, memberships, places, roles, scopes, search

ALL = (
    *scopes.MUTANTS,
    *memberships.MUTANTS,
    *places.MUTANTS,
    *search.MUTANTS,
    *answers.MUTANTS,
    *living.MUTANTS,
    *roles.MUTANTS,
)
