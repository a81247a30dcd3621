"""A kernel's variants: from a cache where it has them, else compiled, and kept there.

The program is read when something has to be compiled; until then an entry of the cache says all that launches need.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from .device import Device
from .facts import Facts, best_fitting
from .variants import MOST_VARIANTS, Interface, Variant

if TYPE_CHECKING:
    from .cache.store import KernelCache
    from .compiler import Compiler
    from .grid_uses import GridUses
    from .recipe import Recipe
    from .saved import SavedKernel, SavedVariant


class KeptVariants:
    """Those of one kernel.

    Attributes:
        recipe: What it is compiled from.
        cache: Where it is kept; None where it is not.
    """

    def __init__(self, recipe: Recipe, cache: KernelCache | None) -> None:
        """Looks it up, and reads the program where it is not found. Raises what is wrong with the program."""
        self._key = "" if cache is None else recipe.key(cache.compiler)
        self.recipe, self.cache = recipe, cache if self._key else None
        self._compiling = threading.RLock()
        self._taken: dict[Facts, None] = {}
        self._compiler: Compiler | None = None
        self._entry: SavedKernel | None = None if self.cache is None else self.cache.find(self._key)
        if self._entry is None:
            self._compiler = recipe.compiler()

    @property
    def compiler(self) -> Compiler:
        """Raises what is wrong with the program, which nothing is where the cache has the kernel."""
        with self._compiling:
            if self._compiler is None:
                self._compiler = self.recipe.compiler()
            return self._compiler

    @property
    def interface(self) -> Interface:
        return self.compiler.interface if self._entry is None else self._entry.interface

    @property
    def grid_uses(self) -> GridUses | None:
        """See `Recipe.grid_uses`."""
        return self.recipe.grid_uses() if self._entry is None else self._entry.grid_uses

    @property
    def known(self) -> tuple[Facts, ...]:
        """The facts of the variants so far."""
        kept = () if self._entry is None else (variant.facts for variant in self._entry.variants)
        compiled = () if self._compiler is None else self._compiler.compiled
        return tuple(dict.fromkeys((*kept, *compiled)))

    @property
    def taken(self) -> tuple[Facts, ...]:
        """The facts of those that launches have taken."""
        return tuple(self._taken)

    def fitting(self, seen: Facts) -> Facts:
        """The facts of the variant that a launch takes which sees these of its arguments."""
        facts, known = self.interface.relevant(seen), self.known
        if facts not in known and len(known) >= MOST_VARIANTS:
            return best_fitting(known, facts)
        return facts

    def find(self, seen: Facts, device: Device) -> Variant:
        """See `Variants`."""
        with self._compiling:
            facts = self.fitting(seen)
            self._taken[facts] = None
            return self._kept(facts, device) or self._compiled(facts, device)

    def _kept(self, facts: Facts, device: Device) -> Variant | None:
        if self.cache is None:
            return None
        saved = self._saved(facts, device)
        if saved is None and (again := self.cache.read(self._key)) is not None:  # by another process meanwhile
            self._entry = again
            saved = self._saved(facts, device)
        if saved is None:
            return None
        from .saved import variant_of

        return variant_of(saved, self.interface, device, partial(self._origin, facts, saved))

    def _saved(self, facts: Facts, device: Device) -> SavedVariant | None:
        if self._entry is None:
            return None
        found = next((variant for variant in self._entry.variants if variant.facts == facts), None)
        return None if found is None or (self._needs_image(device) and found.image is None) else found

    def _needs_image(self, device: Device) -> bool:
        return self.interface.target.vendor == "amd" and (device.loads == "image" or self.recipe.settings.isolate)

    def _compiled(self, facts: Facts, device: Device) -> Variant:
        variant = self.compiler.variant(facts, device)
        if self.cache is not None and self._is_as_it_was(self.cache):
            from .saving import kept_kernel

            compilation = self.compiler.compilation(facts)
            with_image, uses = self._needs_image(device), self.grid_uses
            kept = kept_kernel(self.interface, facts, compilation, image=with_image, grid_uses=uses)
            self._entry = self.cache.keep(self._key, kept)
        return variant

    def _is_as_it_was(self, cache: KernelCache) -> bool:
        """Whether what has been compiled is what the key says."""
        return cache.is_same_compiler() and self.recipe.key(cache.compiler) == self._key

    def _origin(self, facts: Facts, saved: SavedVariant, line: int) -> str | None:
        """See `Variant.origin`: the code is made again, with lines."""
        from .origin import origins_of

        return origins_of(self.compiler.compilation(facts)).at(saved.text, line)
