import psutil
import pytest
import torch

from kvviz.engine.devices import available_devices, device_free_bytes, device_named, synchronizer
from kvviz.engine.memory import free_bytes, resident_bytes
from kvviz.sizing.errors import InputError


def test_free_bytes_are_a_part_of_this_machines_memory():
    assert type(free_bytes()) is int
    assert 0 < free_bytes() < psutil.virtual_memory().total


def test_the_cpu_is_always_there_and_first():
    assert available_devices()[0] == "cpu"
    assert device_named("cpu") == torch.device("cpu")


def test_a_device_that_is_not_here_is_refused():
    with pytest.raises(InputError, match="Device 'cuda:9' is not here: choose cpu"):
        device_named("cuda:9")


def test_the_cpu_needs_no_waiting_and_shares_the_hosts_memory():
    assert synchronizer(torch.device("cpu"))() is None
    assert device_free_bytes(torch.device("cpu"), lambda: 5) == 5
    assert device_free_bytes(torch.device("mps"), lambda: 5) == 5


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_device_is_waited_for_and_asked_in_its_own_words(name, monkeypatch):
    done = []
    monkeypatch.setattr(getattr(torch, name), "synchronize", lambda: done.append(name))
    synchronizer(torch.device(name))()
    assert done == [name]


def test_cuda_says_what_it_has_left(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (11, 22))
    assert device_free_bytes(torch.device("cuda"), lambda: 5) == 11


def test_devices_that_are_present_can_be_chosen(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert available_devices() == ("cpu", "cuda", "mps")


def test_resident_bytes_are_this_processs_own():
    assert type(resident_bytes()) is int
    assert 2**20 < resident_bytes() < psutil.virtual_memory().total
