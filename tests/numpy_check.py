"""Reads the tensors that `fusescope case --save` wrote and prints, with figures of its own, the
rel_norm of fused against unfused, fused against truth, unfused against truth, and the number of
outputs whose bits differ from the prediction."""
import sys
import numpy as np

folder, mode = sys.argv[1], sys.argv[2]


def load(name):
    stored = np.load(f"{folder}/{name}.npy")
    if mode.startswith("bf16") and stored.dtype == np.uint16:
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored


def rel_norm(got, want):
    got, want = got.astype(np.float64), want.astype(np.float64)
    return np.abs(got - want).max() / np.abs(want).max()


fused, unfused, true = load("fused"), load("unfused"), load("true")
predicted = load("predicted")
assert true.dtype == np.float64 and fused.shape == true.shape
assert np.load(f"{folder}/input_x.npy").ndim >= 1
differ = int((fused.view(np.uint8) != predicted.view(np.uint8)).sum())
print(f"{rel_norm(fused, unfused):.17g} {rel_norm(fused, true):.17g} "
      f"{rel_norm(unfused, true):.17g} {differ}")
