"""What programs may say, said in the few operations that all later layers know.

Before the layout stage a kernel is rewritten once: affine loops, branches and accesses become those of scf, memref and
vector; calls and `scf.execute_region` are written out; blocks that branch to one another become loops and branches with
regions; loops without an order become loops; what is spread over ids reads them; operations on values that are short
for others are these. `legalisations.py` has the rules by class and the check that nothing is left.
"""
