"""Camera profile: the calibrated lens and piece colours of one camera; both are optional."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vision.image.color_profile import PieceColors
from vision.image.lens import Lens
from vision.image.mapping import Observe, through_mirror
from vision.observation import Frame, Observation, size_of


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A calibrated camera.
    ``name`` identifies it: the value of ``--camera``, or make and model in its EXIF data. ``mirrored``: its
    pictures are mirror images."""

    name: str
    lens: Lens | None = None
    colors: PieceColors | None = None
    mirrored: bool = False

    def through(self, observe: Observe) -> Observe:
        """Wrap ``observe`` with this camera's corrections.
        It gets undistorted frames. Its observations are mapped back to the original frame, and the colours of
        their pieces are corrected; hints keep theirs."""

        def observe_corrected(frame: Frame) -> Observation:
            """Undistort, observe, and map the observation back."""
            size_wh = size_of(frame.image)
            lens = self.lens.at(size_wh) if self.lens is not None else None
            if lens is None:
                observation = observe(frame)
            else:
                observation = observe(replace(frame, image=lens.straightened(frame.image)))
                observation = lens.observation_as_seen(observation)
            if self.colors is not None:
                pieces = tuple(self.colors.corrected(piece) for piece in observation.pieces)
                observation = replace(observation, pieces=pieces)
            return observation

        return through_mirror(observe_corrected) if self.mirrored else observe_corrected
