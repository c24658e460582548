import { type Freeze, weekdays } from "@orgplane/schema/rollouts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { frozenUntil, nextAllowed } from "./freezes.ts"

const millisPerMinute = 60_000
const minutesPerDay = 1440
const millisPerDay = minutesPerDay * millisPerMinute

const at = (text: string) => Date.parse(text)
const iso = (time: number | null | undefined) =>
  typeof time === "number" ? new Date(time).toISOString().replace(":00.000Z", "Z") : time

type Weekday = (typeof weekdays)[number]
const weekly = (
  days: ReadonlyArray<Weekday>,
  startTime: string,
  endTime: string,
  timeZone = "Europe/Berlin"
): Freeze => ({ name: "Weekly", timeZone, weekdays: days, startTime, endTime, startsAt: null, endsAt: null })
const period = (startsAt: string, endsAt: string): Freeze => ({
  name: "Single",
  timeZone: "UTC",
  weekdays: [],
  startTime: null,
  endTime: null,
  startsAt,
  endsAt
})
const until = (freezes: ReadonlyArray<Freeze>, now: string) => iso(frozenUntil(freezes, at(now)))

describe("a single period", () => {
  const freezes = [period("2026-12-20T00:00:00Z", "2027-01-04T00:00:00Z")]
  it("includes its start and excludes its end", () => {
    expect(until(freezes, "2026-12-19T23:59:59.999Z")).toBe(undefined)
    expect(until(freezes, "2026-12-20T00:00:00Z")).toBe("2027-01-04T00:00Z")
    expect(until(freezes, "2027-01-03T23:59:59.999Z")).toBe("2027-01-04T00:00Z")
    expect(until(freezes, "2027-01-04T00:00:00Z")).toBe(undefined)
  })
  it("is extended by periods that adjoin or overlap, in any order", () => {
    const more = [
      period("2027-01-04T00:00:00Z", "2027-01-05T00:00:00Z"),
      period("2027-01-04T12:00:00Z", "2027-01-06T00:00:00Z"),
      period("2027-01-07T00:00:00Z", "2027-01-08T00:00:00Z")
    ]
    expect(until([...more, ...freezes], "2026-12-24T00:00:00Z")).toBe("2027-01-06T00:00Z")
    expect(until([...freezes, ...more], "2026-12-24T00:00:00Z")).toBe("2027-01-06T00:00Z")
  })
})

describe("a weekly freeze", () => {
  it("follows the clocks of its time zone", () => {
    const freezes = [weekly(["friday"], "15:00", "18:00")]
    expect(until(freezes, "2026-07-03T13:00:00Z")).toBe("2026-07-03T16:00Z")
    expect(until(freezes, "2026-11-27T13:59:59Z")).toBe(undefined)
    expect(until(freezes, "2026-11-27T14:00:00Z")).toBe("2026-11-27T17:00Z")
    expect(until(freezes, "2026-11-26T14:00:00Z")).toBe(undefined)
  })
  it("that ends at an earlier time ends on the next day", () => {
    const freezes = [weekly(["friday"], "22:00", "06:00")]
    expect(until(freezes, "2026-11-27T21:00:00Z")).toBe("2026-11-28T05:00Z")
    expect(until(freezes, "2026-11-28T04:59:00Z")).toBe("2026-11-28T05:00Z")
    expect(until(freezes, "2026-11-27T04:59:00Z")).toBe(undefined)
  })
  it("with equal times lasts 24 hours", () => {
    expect(until([weekly(["friday"], "09:00", "09:00", "UTC")], "2026-11-27T09:00:00Z")).toBe("2026-11-28T09:00Z")
  })
  it("on adjoining days is one freeze", () => {
    const weekend = [weekly(["friday"], "15:00", "00:00"), weekly(["saturday", "sunday"], "00:00", "00:00")]
    expect(until(weekend, "2026-11-27T15:00:00Z")).toBe("2026-11-29T23:00Z")
    expect(until([...weekend, period("2026-11-29T23:00:00Z", "2026-11-30T12:00:00Z")], "2026-11-28T00:00:00Z")).toBe(
      "2026-11-30T12:00Z"
    )
  })
  it("at a time that does not exist starts and ends when clocks are set forward", () => {
    // In Berlin, 02:00 to 03:00 does not exist on 2026-03-29: clocks are set forward at 01:00 UTC.
    expect(until([weekly(["sunday"], "02:30", "05:00")], "2026-03-29T00:59:59Z")).toBe(undefined)
    expect(until([weekly(["sunday"], "02:30", "05:00")], "2026-03-29T01:00:00Z")).toBe("2026-03-29T03:00Z")
    expect(until([weekly(["sunday"], "01:00", "02:30")], "2026-03-29T00:30:00Z")).toBe("2026-03-29T01:00Z")
    expect(until([weekly(["sunday"], "02:10", "02:50")], "2026-03-29T01:00:00Z")).toBe(undefined)
  })
  it("at a time that exists twice starts at the first and ends at the second", () => {
    // In Berlin, 02:00 to 03:00 exists twice on 2026-10-25: clocks are set back at 01:00 UTC.
    expect(until([weekly(["sunday"], "02:30", "05:00")], "2026-10-25T00:30:00Z")).toBe("2026-10-25T04:00Z")
    expect(until([weekly(["sunday"], "02:30", "05:00")], "2026-10-25T00:29:59Z")).toBe(undefined)
    expect(until([weekly(["sunday"], "01:00", "02:30")], "2026-10-25T00:45:00Z")).toBe("2026-10-25T01:30Z")
    expect(until([weekly(["sunday"], "01:00", "02:00")], "2026-10-24T23:00:00Z")).toBe("2026-10-25T01:00Z")
    expect(until([weekly(["sunday"], "03:00", "04:00")], "2026-10-25T01:00:00Z")).toBe(undefined)
    // In St. John's, 23:01 to 00:01 existed twice on 2010-11-06 and 2010-11-07: clocks were set back at 02:31 UTC.
    const freezes = [weekly(["friday"], "23:45", "23:30", "America/St_Johns")]
    expect(until(freezes, "2010-11-07T02:30:30Z")).toBe("2010-11-07T03:00Z")
  })
  it("lasts an hour more or less on days when clocks change", () => {
    expect(until([weekly(["sunday"], "00:00", "00:00")], "2026-03-28T23:00:00Z")).toBe("2026-03-29T22:00Z")
    expect(until([weekly(["sunday"], "00:00", "00:00")], "2026-10-24T22:00:00Z")).toBe("2026-10-25T23:00Z")
  })
})

describe("a freeze without an end", () => {
  const now = at("2026-11-27T12:00:00Z")
  const always = weekly(weekdays, "00:00", "00:00")
  it("allows no time", () => {
    expect(frozenUntil([always], now)).toBe(now + 400 * millisPerDay)
    expect(nextAllowed([always], now)).toBe(null)
    const halves = [weekly(weekdays, "06:00", "18:00"), weekly(weekdays, "18:00", "06:00")]
    expect(nextAllowed(halves, now)).toBe(null)
  })
  it("is not a long period that weekly freezes extend", () => {
    const freezes = [
      period("2026-11-01T00:00:00Z", "2028-12-01T00:00:00Z"),
      period("2028-12-03T00:00:00Z", "2029-12-01T00:00:00Z"),
      weekly(["friday", "saturday"], "00:00", "00:00", "UTC")
    ]
    expect(iso(nextAllowed(freezes, now))).toBe("2029-12-02T00:00Z")
  })
  it("can consist of 50 freezes", () => {
    const freezes = Array.from({ length: 50 }, (_, index) => weekly(weekdays, `00:${10 + index}`, "00:00"))
    expect(nextAllowed([...freezes.slice(1), always], now)).toBe(null)
    const gap = iso(nextAllowed(freezes, now))
    expect(gap).toBe("2026-11-27T23:00Z")
  })
  it("is detected in milliseconds, even if it consists of many short freezes in reverse order", () => {
    const timeOf = (half: number) =>
      `${String(Math.floor(half / 2) % 24).padStart(2, "0")}:${half % 2 === 0 ? "00" : "30"}`
    const halfHours = Array.from({ length: 48 }, (_, half) => weekly(weekdays, timeOf(half), timeOf(half + 1)))
    nextAllowed(halfHours, now)
    const start = performance.now()
    expect(nextAllowed(halfHours.toReversed(), now)).toBe(null)
    // The limit is much higher than the usual time, for busy machines.
    expect(performance.now() - start).toBeLessThan(200)
  })
})

describe("the next allowed time", () => {
  it("is the time itself if no freeze applies", () => {
    const now = at("2026-11-27T12:00:00Z")
    expect(nextAllowed([], now)).toBe(now)
    expect(nextAllowed([weekly(["monday"], "10:00", "11:00")], now)).toBe(now)
  })
  it("is the end of the freeze that applies", () => {
    const freezes = [weekly(["friday"], "12:00", "11:00")]
    expect(iso(nextAllowed(freezes, at("2026-11-27T12:00:00Z")))).toBe("2026-11-28T10:00Z")
  })
})

/** The clocks of a zone, minute by minute over eight days, read directly from Intl. */
const clocks = (timeZone: string, around: string) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit"
  })
  const start = at(around) - 4 * millisPerDay
  const minutes = Array.from({ length: 8 * minutesPerDay }, (_, index) => {
    const [date = "", time = ""] = format.format(start + index * millisPerMinute).split(", ")
    return Date.parse(`${date}T${time}:00Z`) / millisPerMinute
  })
  return { timeZone, start, minutes }
}

/**
 * Whether each minute is in a freeze: from the first minute whose local time is in it, until clocks show its end for the
 * last time, or if they never do, until the last minute whose local time is in it.
 */
const frozenMinutes = (freezes: ReadonlyArray<Freeze>, { minutes, start }: ReturnType<typeof clocks>) => {
  const frozen = minutes.map(() => false)
  const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  for (const freeze of freezes) {
    if (freeze.startsAt !== null && freeze.endsAt !== null) {
      for (let index = 0; index < minutes.length; index += 1) {
        const time = start + index * millisPerMinute
        if (at(freeze.startsAt) <= time && time < at(freeze.endsAt)) frozen[index] = true
      }
      continue
    }
    const [startTime, endTime] = [freeze.startTime ?? "", freeze.endTime ?? ""]
    const firstDay = Math.floor(start / millisPerDay) - 2
    for (let day = firstDay; day < firstDay + 13; day += 1) {
      const weekday = weekdays[(new Date(day * millisPerDay).getUTCDay() + 6) % 7]
      if (weekday === undefined || !freeze.weekdays.includes(weekday)) continue
      const from = day * minutesPerDay + minuteOf(startTime)
      const to = (endTime <= startTime ? day + 1 : day) * minutesPerDay + minuteOf(endTime)
      const isInside = (local: number) => from <= local && local < to
      const first = minutes.findIndex(isInside)
      const end = minutes.lastIndexOf(to)
      if (first !== -1) frozen.fill(true, first, end === -1 ? minutes.findLastIndex(isInside) + 1 : end)
    }
  }
  return frozen
}

describe("compared minute by minute with the clocks of the zone", () => {
  const cases: ReadonlyArray<readonly [timeZone: string, around: string]> = [
    ["Europe/Berlin", "2026-03-29T01:00:00Z"],
    ["Europe/Berlin", "2026-10-25T01:00:00Z"],
    ["America/New_York", "2026-03-08T07:00:00Z"],
    ["America/New_York", "2026-11-01T06:00:00Z"],
    // Changes of half an hour.
    ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
    // Changes at midnight: the first hour of a day does not exist, or the last one exists twice.
    ["Asia/Beirut", "2026-03-28T22:00:00Z"],
    ["Asia/Beirut", "2026-10-24T21:00:00Z"],
    ["America/Havana", "2026-03-08T05:00:00Z"],
    // A change after midnight that repeats a part of the day before.
    ["America/St_Johns", "2010-11-07T02:31:00Z"],
    // A day that does not exist.
    ["Pacific/Apia", "2011-12-30T10:00:00Z"],
    ["Africa/Casablanca", "2026-02-15T02:00:00Z"],
    ["Asia/Kathmandu", "2026-06-01T00:00:00Z"],
    ["UTC", "2026-06-01T00:00:00Z"]
  ]
  const timeOf = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
  // Changes are in the first hours of a day, or in its last.
  const times = fc
    .oneof(
      fc.integer({ min: 0, max: 240 }),
      fc.integer({ min: 1320, max: 1439 }),
      fc.integer({ min: 0, max: 1439 }),
      fc.integer({ min: 0, max: 47 }).map((half) => half * 30)
    )
    .map(timeOf)

  it.each(cases)("%s around %s", (timeZone, around) => {
    const zone = clocks(timeZone, around)
    const timeAt = (index: number) => zone.start + index * millisPerMinute
    const freezes = fc.array(
      fc.oneof(
        {
          arbitrary: fc.record({ days: fc.subarray([...weekdays], { minLength: 1 }), from: times, to: times }),
          weight: 4
        },
        {
          arbitrary: fc.record({ start: fc.nat(8 * minutesPerDay), length: fc.integer({ min: 1, max: 900 }) }),
          weight: 1
        }
      ),
      { maxLength: 4 }
    )
    // The change is in the middle, after four days.
    const indexes = fc.array(
      fc.oneof(fc.integer({ min: minutesPerDay, max: 6 * minutesPerDay }), fc.integer({ min: 5500, max: 6000 })),
      { minLength: 20, maxLength: 20 }
    )
    fc.assert(
      fc.property(freezes, indexes, (inputs, indexes) => {
        const list = inputs.map((input) =>
          "days" in input
            ? weekly(input.days, input.from, input.to, timeZone)
            : period(
                new Date(timeAt(input.start)).toISOString(),
                new Date(timeAt(input.start + input.length)).toISOString()
              )
        )
        const frozen = frozenMinutes(list, zone)
        for (const index of indexes) {
          const end = frozen.indexOf(false, index)
          // Freezes longer than the searched days have no reference.
          if (end === -1) continue
          const expected = end === index ? undefined : timeAt(end)
          expect(iso(frozenUntil(list, timeAt(index)))).toBe(iso(expected))
          expect(iso(nextAllowed(list, timeAt(index)))).toBe(iso(timeAt(end)))
        }
      }),
      { numRuns: 60 }
    )
  })
})

it("takes well below a millisecond", () => {
  const zones = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo"]
  const freezes = Array.from({ length: 50 }, (_, index) =>
    weekly(["friday", "saturday", "sunday"], "15:00", "09:00", zones[index % zones.length])
  )
  const now = at("2026-11-27T20:00:00Z")
  frozenUntil(freezes, now)
  const start = performance.now()
  for (let round = 0; round < 100; round += 1) frozenUntil(freezes, now + round * millisPerMinute)
  // The limit is much higher than the usual time, for busy machines.
  expect((performance.now() - start) / 100).toBeLessThan(2)
})
