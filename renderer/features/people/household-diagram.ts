// Where everything in the picture of the household stands, from how many hubs there are and how
// wide the picture may be. This computer is the wide door on the ground floor; the first hub lives
// under the roof, the others on the floors between; hubs elsewhere are small houses. Wires bend at
// right angles and never cross. Pure geometry, px.

export interface DoorPlace {
  /** Centre of the doorway, its sill, its width and height, and how wide its labels may be. */
  readonly x: number;
  readonly base: number;
  readonly width: number;
  readonly height: number;
  readonly room: number;
  readonly wire: string;
  readonly pill: { readonly x: number; readonly y: number };
}

interface HouseholdDiagram {
  readonly width: number;
  readonly height: number;
  readonly near: readonly DoorPlace[];
  readonly far: readonly DoorPlace[];
  readonly own: {
    readonly x: number;
    readonly base: number;
    readonly width: number;
    readonly height: number;
  };
  readonly walls: string;
  readonly farWalls: string;
  readonly floors: readonly { readonly from: number; readonly to: number; readonly y: number }[];
  readonly ground: number;
  /** Where it may be said that the house beside is elsewhere. */
  readonly note: { readonly x: number; readonly y: number } | null;
}

const WIDTH_MAX = 760;
const MARGIN = 24;
const SIDE_HOUSE = 176;
const SIDE_MIN_WIDTH = 600;
const THREE_COLUMNS_MIN_WIDTH = 380;
const DOOR_HEIGHT = 94;
const DOOR_WIDTH_MAX = 112;
const OWN_DOOR_HEIGHT = 112;
const ATTIC_FLOOR = 204;
const FLOOR_HEIGHT = 180;
/** A house elsewhere, drawn under the ground line when there is no room beside. */
const FAR_HEIGHT = 186;
const FAR_CELL_MIN = 168;

export function layoutHousehold(
  room: number,
  nearCount: number,
  farCount: number,
): HouseholdDiagram {
  const width = Math.min(Math.max(room, 280), WIDTH_MAX);
  const beside = width >= SIDE_MIN_WIDTH && farCount === 1;
  const left = MARGIN;
  const right = beside ? width - SIDE_HOUSE : width - MARGIN;
  const centre = (left + right) / 2;
  const columns = right - left > THREE_COLUMNS_MIN_WIDTH ? 3 : 2;
  const cell = (right - left) / columns;
  const doorWidth = Math.min(DOOR_WIDTH_MAX, cell - 26);
  const rows = Math.ceil(Math.max(0, nearCount - 1) / columns);
  const ground = ATTIC_FLOOR + rows * FLOOR_HEIGHT + (nearCount > 0 ? 66 : 20) + OWN_DOOR_HEIGHT;
  const ownWidth = Math.min(right - left - 48, Math.max(244, cell + 112));
  const ownTop = ground - OWN_DOOR_HEIGHT;
  const trunk = rows === 0 ? centre : left + cell - 6;

  const door = (x: number, base: number, wire: string): DoorPlace => ({
    x,
    base,
    width: doorWidth,
    height: DOOR_HEIGHT,
    room: cell - 8,
    wire,
    pill: { x, y: base + 15 },
  });
  const near: DoorPlace[] = [];
  const floors: HouseholdDiagram['floors'][number][] =
    nearCount > 0 ? [{ from: left, to: right, y: ATTIC_FLOOR }] : [];
  if (nearCount > 0)
    near.push(door(centre, ATTIC_FLOOR, toTrunk(centre, ATTIC_FLOOR, trunk, ownTop)));
  for (let row = 0; row < rows; row++) {
    const base = ATTIC_FLOOR + FLOOR_HEIGHT * (row + 1);
    floors.push({ from: left, to: right, y: base });
    const inRow = Math.min(columns, nearCount - 1 - row * columns);
    for (let column = 0; column < inRow; column++) {
      const x = left + cell * (column + 0.5);
      const wire =
        row === rows - 1
          ? toOwnDoor(x, base, ownTop, trunk, centre, ownWidth, right)
          : toTrunk(x, base, trunk, ownTop);
      near.push(door(x, base, wire));
    }
  }

  const outside =
    farCount === 0
      ? { far: [], walls: '', height: ground + 14, note: null }
      : beside
        ? sideHouse(width, ground, centre)
        : housesBelow(width, ground, centre, farCount);
  const eaves = nearCount > 0 ? ATTIC_FLOOR : ground - OWN_DOOR_HEIGHT - 12;
  return {
    width,
    height: outside.height,
    near,
    far: outside.far,
    own: { x: centre, base: ground, width: ownWidth, height: OWN_DOOR_HEIGHT },
    walls: outerWalls(left, right, centre, eaves, ground),
    farWalls: outside.walls,
    floors,
    ground,
    note: outside.note,
  };
}

function outerWalls(
  left: number,
  right: number,
  centre: number,
  eaves: number,
  ground: number,
): string {
  const peak = 12;
  const slope = (eaves - 6 - peak) / (centre - left + 14);
  const chimney = centre + (right - centre) * 0.52;
  const chimneyY = peak + (chimney - centre) * slope;
  return (
    `M${chimney} ${chimneyY}V${chimneyY - 34}h20v${34 + 20 * slope}` +
    `M${left} ${ground}V${eaves - 10}M${right} ${ground}V${eaves - 10}M${left - 14} ${eaves + 6}L${centre} ${peak} ${right + 14} ${eaves + 6}`
  );
}

/**
 * Down from the door, along under its floor to the trunk between the first two columns, and down to
 * this computer.
 */
function toTrunk(x: number, base: number, trunk: number, ownTop: number): string {
  if (Math.abs(x - trunk) < 1) return `M${x} ${base}V${ownTop + 18}`;
  const side = Math.sign(trunk - x);
  return `M${x} ${base}v15H${trunk - side * 12}a12 12 0 0 ${side > 0 ? 1 : 0} ${side * 12} 12V${ownTop + 18}`;
}

/**
 * From the lowest row each wire comes down by itself, to its own place over the wide door, on its
 * own side of the trunk.
 */
function toOwnDoor(
  x: number,
  base: number,
  ownTop: number,
  trunk: number,
  centre: number,
  ownWidth: number,
  right: number,
): string {
  const limit = x < trunk ? trunk - 24 : right;
  const landing = Math.min(
    limit,
    Math.max(centre - ownWidth / 2 + 22, Math.min(centre + ownWidth / 2 - 22, x)),
  );
  const side = Math.sign(landing - x);
  const bend = ownTop - 18;
  if (side === 0) return `M${x} ${base}V${ownTop + 18}`;
  const first = side > 0 ? 0 : 1;
  return `M${x} ${base}V${bend - 10}a10 10 0 0 ${first} ${side * 10} 10H${landing - side * 10}a10 10 0 0 ${1 - first} ${side * 10} 10V${ownTop + 18}`;
}

function sideHouse(width: number, ground: number, centre: number) {
  const x = width - 84;
  const eaves = ground - 172;
  const pillX = (x + centre) / 2 + 30;
  return {
    walls: `M${x - 64} ${ground}V${eaves}M${x + 64} ${ground}V${eaves}M${x - 76} ${eaves + 7}L${x} ${eaves - 46} ${x + 76} ${eaves + 7}`,
    far: [
      {
        x,
        base: ground,
        width: 96,
        height: DOOR_HEIGHT,
        room: 120,
        wire: `M${centre} ${ground}v16a12 12 0 0 0 12 12H${x - 12}a12 12 0 0 0 12-12V${ground}`,
        pill: { x: pillX, y: ground + 28 },
      },
    ],
    height: ground + 68,
    note: { x: pillX, y: ground + 58 },
  };
}

function housesBelow(width: number, ground: number, centre: number, count: number) {
  const columns = Math.max(1, Math.min(count, Math.floor(width / FAR_CELL_MIN)));
  const cell = width / columns;
  const far: DoorPlace[] = [];
  let walls = '';
  for (let index = 0; index < count; index++) {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, count - row * columns);
    const x = (width - inRow * cell) / 2 + cell * ((index % columns) + 0.5);
    const roof = ground + 78 + row * (FAR_HEIGHT + 30);
    const base = roof + FAR_HEIGHT;
    const duct = ground + 20;
    const side = Math.sign(x - centre);
    walls += `M${x - 64} ${base}V${roof + 40}M${x + 64} ${base}V${roof + 40}M${x - 76} ${roof + 47}L${x} ${roof} ${x + 76} ${roof + 47}M${x - 82} ${base}h164`;
    // A second row of houses is reached beside the first one; only its stub is drawn.
    const wire =
      row > 0
        ? `M${x} ${roof - 22}V${roof}`
        : side === 0
          ? `M${centre} ${ground}V${roof}`
          : `M${centre} ${ground}V${duct - 10}a10 10 0 0 ${side > 0 ? 0 : 1} ${side * 10} 10H${x - side * 10}a10 10 0 0 ${side > 0 ? 1 : 0} ${side * 10} 10V${roof}`;
    far.push({
      x,
      base,
      width: 96,
      height: DOOR_HEIGHT,
      room: 128,
      wire,
      pill: { x, y: roof - 22 },
    });
  }
  const rows = Math.ceil(count / columns);
  return { walls, far, note: null, height: ground + 78 + rows * (FAR_HEIGHT + 30) - 18 };
}

/** The outline of a doorway with a rounded head. */
export function arch(x: number, base: number, width: number, height: number, rise = 22): string {
  const half = width / 2;
  return `M${x - half} ${base}V${base - height + rise}A${half} ${rise} 0 0 1 ${x + half} ${base - height + rise}V${base}z`;
}

/** A door leaf standing open at `x`, to the left (-1) or right (1). */
export function leaf(x: number, top: number, base: number, side: -1 | 1 = -1): string {
  return `M${x} ${base}l${side * 12} 7V${top - 5}L${x} ${top}z`;
}
