"""The only rewriting of the user's Python: `for`, `while`, `if` and `a if c else b` get calls at their edges.

    for i in X: BODY        hook = control.Loop(X, ["i"], names, has_else)
                            for i in hook:
                                (a, b) = hook.enter(locals())
                                BODY
                                hook.leave(locals())
                            (a, b, i) = hook.results(locals())

Expressions stay as they are, but that `name = value` tells the value its name. Lines and columns stay, so tracebacks,
pdb and coverage are of the user's file.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import linecache
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..support.diagnostics import LanewiseError

N = TypeVar("N", bound=ast.AST)
HOOK = "_lanewise_"


class NoSource(LanewiseError):
    """A function whose Python text is nowhere to be read."""


def rewritten(function: types.FunctionType, hooks: object) -> types.FunctionType:
    """The function with calls of `hooks` at the edges of control flow. Raises NoSource where there is no text of it."""
    node = copy.deepcopy(_definition(function))
    code = function.__code__
    _Rewriter({*code.co_varnames, *code.co_cellvars}).rewrite(node)
    inner = code_of(node, function)
    free = function.__code__.co_freevars
    cells = dict(zip(free, function.__closure__ or (), strict=True)) | {HOOK: types.CellType(hooks)}
    made = types.FunctionType(
        inner,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(cells[n] for n in inner.co_freevars),
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    return made


def code_of(node: ast.FunctionDef, function: types.FunctionType) -> types.CodeType:
    """The code of a definition where a function stands, with its free names and HOOK; the definition is changed."""
    node.decorator_list, node.returns = [], None
    arguments = node.args
    arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    # The factory makes cells of the free names, which the function's own take the place of.
    names = ", ".join((HOOK, *function.__code__.co_freevars))
    factory = _the(ast.FunctionDef, ast.parse(f"def {HOOK}factory({names}): pass").body[0])
    # A function of a module finds itself there, by its global name; the factory never runs.
    own: list[ast.stmt] = [] if node.name in function.__code__.co_freevars else [ast.Global([node.name])]
    factory.body = [*own, node]
    ast.fix_missing_locations(factory)
    flags = function.__code__.co_flags & __future__.annotations.compiler_flag
    code = compile(ast.Module([factory], []), function.__code__.co_filename, "exec", flags, dont_inherit=True)
    return _code_named(_code_named(code, f"{HOOK}factory"), function.__name__)


def _code_named(code: types.CodeType, name: str) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


def _definition(function: types.FunctionType) -> ast.FunctionDef:
    """The syntax of a function, in its file as it is now."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename)
    for node in _functions(code.co_filename, "".join(lines)) if lines else ():
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        if node.name == function.__name__ and first == code.co_firstlineno:
            return node
    raise NoSource(
        f"the text of '{function.__qualname__}' is not in {code.co_filename}, line {code.co_firstlineno}: loops and"
        " branches of the device need it (functions made by exec have one when linecache has it; a file that has"
        " changed since it was imported is to be imported again)"
    )


@functools.lru_cache(maxsize=64)
def _functions(file: str, text: str) -> tuple[ast.FunctionDef, ...]:
    try:
        tree = ast.parse(text, file)
    except SyntaxError:
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


# -- names ----------------------------------------------------------------------------------------------------------


class _Names(ast.NodeVisitor):
    """The names that statements bind, in the order in which they stand; those of inner functions are theirs."""

    def __init__(self, own: Collection[str]) -> None:
        """`own` are the function's: what others hold, such as an array of the function around it, is no name of its."""
        self.found: dict[str, None] = {}
        self._own = own

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            self.found.setdefault(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._holder(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._holder(node)

    def _holder(self, node: ast.Subscript | ast.Attribute) -> None:
        """`x[0] = v` and `x.f = v` change what `x` holds."""
        holder: ast.expr = node
        while isinstance(holder, (ast.Subscript, ast.Attribute)):
            holder = holder.value
        if isinstance(node.ctx, ast.Store) and isinstance(holder, ast.Name) and holder.id in self._own:
            self.found.setdefault(holder.id)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.found.setdefault(node.name)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.found.setdefault(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None: ...

    def _visit_pattern(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            self.found.setdefault(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _visit_pattern

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._walrus(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._walrus(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._walrus(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._walrus(node)

    def _walrus(self, node: ast.AST) -> None:
        """A comprehension's variables are its own, but for those of `:=`."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                self.visit(inner.target)


def _bound(nodes: Iterable[ast.AST], outside: Collection[str], own: Collection[str]) -> list[str]:
    """What nodes bind in a function with names of its own, but for the names of globals."""
    names = _Names(own)
    for node in nodes:
        names.visit(node)
    return [name for name in names.found if not name.startswith(HOOK) and name not in outside]


def _globals_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that statements say to be globals; those of inner functions are theirs."""
    for node in nodes:
        if isinstance(node, ast.Global):
            yield from node.names
        elif not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _globals_in(ast.iter_child_nodes(node))


def _leaves(nodes: Sequence[ast.stmt], in_loop: bool = False) -> bool:
    """Whether statements may leave by `break` or `continue` of a loop around them, or by `return`."""
    for node in nodes:
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not in_loop):
            return True
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        loop = in_loop or isinstance(node, (ast.For, ast.While))
        parts: list[list[ast.stmt]] = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
        parts += [handler.body for handler in getattr(node, "handlers", [])]
        parts += [case.body for case in getattr(node, "cases", [])]
        if any(_leaves(part, loop) for part in parts):
            return True
    return False


# -- edges ----------------------------------------------------------------------------------------------------------


class _Rewriter(ast.NodeTransformer):
    def __init__(self, own: Collection[str]) -> None:
        self._count = 0
        self._own = own
        self._globals: frozenset[str] = frozenset()

    def rewrite(self, function: ast.FunctionDef) -> None:
        self._globals = frozenset(_globals_in(function.body))
        body: list[ast.stmt] = []
        for statement in function.body:
            made = self.visit(statement)
            body += made if isinstance(made, list) else [made]
        function.body = body

    def _fresh(self) -> str:
        self._count += 1
        return f"{HOOK}{self._count}"

    # Functions inside are plain helpers.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            node.value = self._named(target.id, node.value)
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(target.elts, node.value.elts, strict=False)
            node.value.elts = [self._named(t.id, v) if isinstance(t, ast.Name) else v for t, v in pairs] + list(
                node.value.elts[len(target.elts) :]
            )
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None and isinstance(node.target, ast.Name):
            node.value = self._named(node.target.id, node.value)
        return node

    def _named(self, name: str, value: ast.expr) -> ast.expr:
        if isinstance(value, (ast.Constant, ast.Starred)):
            return value
        call = _call(f"{HOOK}.named({name!r}, 0)", value)
        call.args[1] = value
        return call

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        call = _call(f"{HOOK}.either(0, lambda: 0, lambda: 0)", node)
        first, second = (_the(ast.Lambda, part) for part in call.args[1:])
        call.args[0], first.body, second.body = node.test, node.body, node.orelse
        return call

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        targets = _bound([node.target], self._globals, self._own)
        names = [n for n in _bound(node.body, self._globals, self._own) if n not in targets]
        has_else = bool(node.orelse)
        self.generic_visit(node)
        hook = self._fresh()
        start = _assigned(hook, f"{HOOK}.Loop(0, {targets!r}, {names!r}, {has_else})", node.iter, node)
        node.iter = _at(ast.Name(hook, ast.Load()), node.iter)
        node.body = [*_set(names, f"{hook}.enter", node), *node.body, *_statements(f"{hook}.leave(locals())", node)]
        return [start, node, *_set([*names, *targets], f"{hook}.results", node)]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        names = _bound([node.test, *node.body], self._globals, self._own)
        has_else = bool(node.orelse)
        self.generic_visit(node)
        hook = self._fresh()
        start = _statements(f"{hook} = {HOOK}.While({names!r}, {has_else})", node)
        test = _statements(f"if {hook}.test(0): break", node)
        _the(ast.Call, _the(ast.If, test[0]).test).args[0] = node.test
        node.test = _call(f"{hook}.again()", node.test)
        node.body = [
            *_set(names, f"{hook}.enter", node),
            *test,
            *_statements(f"if {hook}.asked(): continue", node),
            *_set(names, f"{hook}.body", node),
            *node.body,
            *_statements(f"{hook}.leave(locals())", node),
        ]
        return [*start, node, *_set(names, f"{hook}.results", node)]

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        leaves = _leaves([*node.body, *node.orelse])
        names = _bound([*node.body, *node.orelse], self._globals, self._own)
        self.generic_visit(node)
        if leaves:
            call = _call(f"{HOOK}.leaving(0)", node.test)
            call.args[0], node.test = node.test, call
            return node
        hook = self._fresh()
        branch = f"{hook}_branch"
        start = _assigned(hook, f"{HOOK}.If(0, {names!r})", node.test, node)
        chosen = _at(ast.If(ast.Name(branch, ast.Load()), node.body, node.orelse), node)
        loop = _the(ast.For, _statements(f"for {branch} in {hook}: pass", node)[0])
        loop.body = [*_set(names, f"{hook}.enter", node), chosen, *_statements(f"{hook}.leave(locals())", node)]
        return [start, loop, *_set(names, f"{hook}.results", node)]


def _set(names: Sequence[str], method: str, at: ast.stmt) -> list[ast.stmt]:
    target = f"({', '.join(names)},) = " if names else ""
    return _statements(f"{target}{method}(locals())", at)


def _assigned(name: str, text: str, first: ast.expr, at: ast.stmt) -> ast.stmt:
    """`name = text`, a call whose first argument is an expression."""
    (statement,) = _statements(f"{name} = {text}", at)
    _the(ast.Call, _the(ast.Assign, statement).value).args[0] = first
    return statement


def _the(kind: type[N], node: ast.AST) -> N:
    """A node that was written here, as what it is."""
    assert isinstance(node, kind)
    return node


def _at(new: Any, old: ast.AST) -> Any:
    """A new node, whose parts that have no place yet stand where an old one does."""
    for node in ast.walk(new):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
    return new


def _statements(text: str, at: ast.stmt) -> list[ast.stmt]:
    body = ast.parse(text).body
    for statement in body:
        for node in ast.walk(statement):
            if "lineno" in node._attributes:
                _head(node, at)
    return body


_HEADS: Mapping[type[ast.stmt], str] = {ast.For: "iter", ast.While: "test", ast.If: "test"}
"""What stands in front of a statement's body."""


def _head(node: ast.AST, at: ast.stmt) -> None:
    """Stands at the first line of a statement, as its body is not its own."""
    ast.copy_location(node, at)
    if type(at) in _HEADS:
        head: ast.expr = getattr(at, _HEADS[type(at)])
        node.end_lineno, node.end_col_offset = head.end_lineno, head.end_col_offset  # type: ignore[attr-defined]


def _call(text: str, at: ast.expr) -> ast.Call:
    call = _the(ast.Call, ast.parse(text, mode="eval").body)
    for node in ast.walk(call):
        if "lineno" in node._attributes:
            ast.copy_location(node, at)
    return call
