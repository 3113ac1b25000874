"""Where tensors can live on this machine."""

from collections.abc import Callable

import torch

from kvviz.sizing.errors import InputError


def available_devices() -> tuple[str, ...]:
    """Return the devices that can be chosen, the CPU first."""
    devices = ["cpu"]
    if torch.cuda.is_available():
        devices.append("cuda")
    if torch.backends.mps.is_available():
        devices.append("mps")
    return tuple(devices)


def device_named(name: str) -> torch.device:
    """Return the device; raise InputError where this machine has none of that name."""
    known = available_devices()
    if name not in known:
        raise InputError(f"Device {name!r} is not here: choose {' or '.join(known)}.")
    return torch.device(name)


def synchronizer(device: torch.device) -> Callable[[], None]:
    """Return what waits for the device's queued work, so that a clock reads finished work."""
    match device.type:
        case "cuda":
            return torch.cuda.synchronize
        case "mps":
            return torch.mps.synchronize
        case _:
            return lambda: None


def device_free_bytes(device: torch.device, host_free: Callable[[], int]) -> int:
    """Return free bytes of the memory that the device computes in."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return host_free()
