"""Camera profile: what is known of one camera in one home, its lens and its piece colours; all optional."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from vision.image.color_profile import PieceColors
from vision.image.lens import Lens
from vision.observation import Frame, Observation, size_of

Observe = Callable[[Frame], Observation]


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """``name`` says which camera this is: as ``--camera`` names it, or as its pictures do (EXIF)."""

    name: str
    lens: Lens | None = None
    colors: PieceColors | None = None

    def through(self, observe: Observe) -> Observe:
        """Observer of this camera's frames: ``observe`` gets them straightened, and what it says is handed on
        in the frame as it was read, with the colours of this table."""

        def observe_corrected(frame: Frame) -> Observation:
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

        return observe_corrected
