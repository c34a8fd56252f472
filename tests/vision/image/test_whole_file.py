"""Files and folders are replaced as a whole, and what killed processes left beside them goes."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from vision.image.whole_file import ENDING, file_beside, folder_beside, remove_leftovers, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not say whether one runs")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_created_with_its_folder_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "one.gallery"
    write_whole(path, b"old")
    write_whole(path, b"new", mode=0o600)
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_leftovers_of_killed_processes_are_removed_and_others_stay(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    left, own, running = (
        tmp_path / f".a*b.{number}-1{ENDING}" for number in (gone.pid, os.getpid(), os.getppid())
    )
    others = [tmp_path / f".a*b.c.{gone.pid}-1{ENDING}", tmp_path / f".a*b.1{ENDING}", tmp_path / ".a*b.new"]
    for path in (left, own, running, *others):
        path.write_bytes(b"a part")
    write_whole(tmp_path / "a*b", b"whole")
    assert not left.exists() and not own.exists()  # an earlier process had this one's number
    assert all(path.exists() for path in (running, *others))
    assert (tmp_path / "a*b").read_bytes() == b"whole"
    left.mkdir()
    (left / "part").touch()
    remove_leftovers(tmp_path)
    assert not left.exists() and not others[0].exists() and running.exists() and others[1].exists()


def test_where_a_file_cannot_be_written_the_old_one_stays_alone(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "kept").touch()
    with pytest.raises(IsADirectoryError) as told:
        write_whole(tmp_path / "one", b"new")
    assert told.value.filename == str(tmp_path / "one")
    assert names(tmp_path) == ["one"]


def test_a_full_disk_leaves_the_old_file_and_names_it(tmp_path: Path) -> None:
    path = tmp_path / "one"
    write_whole(path, b"old")
    with pytest.raises(OSError) as told, file_beside(path) as beside:
        beside.write_bytes(b"a part")
        raise OSError(errno.ENOSPC, "No space left on device")  # as `write` raises it: without a name
    assert (told.value.errno, told.value.filename) == (errno.ENOSPC, str(path))
    assert path.read_bytes() == b"old" and names(tmp_path) == ["one"]


def test_a_file_keeps_its_rights_and_a_symbolic_link_its_target(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "one", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink() and real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert (names(tmp_path), names(real.parent)) == (["link", "real"], ["one"])


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_is_protected_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"old")
    (tmp_path / "one").chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(tmp_path / "one", b"new")
    (tmp_path / "one").chmod(0o644)
    tmp_path.chmod(0o555)
    with pytest.raises(PermissionError, match="its folder takes no new file"):
        write_whole(tmp_path / "one", b"new")
    tmp_path.chmod(0o755)
    assert (tmp_path / "one").read_bytes() == b"old"


def test_pipes_and_standard_output_are_written_to_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = list[bytes]()
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"new")
    reader.join(10)
    assert got == [b"new"] and pipe.is_fifo()
    write_whole(Path(os.devnull), b"new")
    program = "from pathlib import Path; from vision.image.whole_file import write_whole as write\n"
    program += "print('first', flush=True); write(Path('/dev/stdout'), b'second')"
    words = [sys.executable, "-c", program]
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"first\nsecond"
    with (tmp_path / "out").open("ab") as out:
        subprocess.run(words, stdout=out, check=True)
        assert os.path.samestat(os.fstat(out.fileno()), (tmp_path / "out").stat())


def test_names_of_any_length_and_many_threads(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 120 + ".jpg")
    contents = [bytes([number]) * 100_000 for number in range(8)]
    threads = [threading.Thread(target=write_whole, args=(path, content)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents and names(tmp_path) == [path.name]


def test_a_folder_is_there_with_all_its_files_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with pytest.raises(ValueError), folder_beside(place) as beside:
        (beside / "one").touch()
        raise ValueError
    assert names(tmp_path) == []
    place.mkdir(mode=0o750)
    with folder_beside(place) as beside:
        (beside / "one").touch()
        assert names(place) == []
    assert names(place) == ["one"] and stat.S_IMODE(place.stat().st_mode) == 0o750
    with pytest.raises(OSError) as told, folder_beside(place) as beside:
        (beside / "two").touch()
    assert told.value.filename == str(place)
    assert names(tmp_path) == ["out"] and names(place) == ["one"]
    with folder_beside(place, replaced=True) as beside:
        (beside / "three").touch()
    assert names(tmp_path) == ["out"] and names(place) == ["three"]


def test_the_folder_in_which_a_process_runs_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    number = tmp_path.stat().st_ino
    with folder_beside(Path()) as beside:
        (beside / "frames").mkdir()
        (beside / "frames" / "one").touch()
    assert names(tmp_path) == ["frames"] and tmp_path.stat().st_ino == number
