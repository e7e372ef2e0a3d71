import { describe, expect, it } from "@effect/vitest"
import * as Windows from "../src/frame/admission/windows.ts"

describe("windows", () => {
  it("are forgotten when they are over, two with each that begins, however many there are", () => {
    for (const many of [1_000, 300_000]) {
      const windows = Windows.make(Infinity)
      for (let n = 0; n < many; n++) windows.begin(`first ${n}`, 0, 100)
      expect(windows.size()).toBe(many)
      const steps = new Set<number>()
      for (let n = 0; n < many / 2; n++) {
        const before = windows.size()
        windows.begin(`second ${n % 10}`, 100, 200)
        steps.add(before + 1 - windows.size())
      }
      expect([...steps]).toEqual([2])
      // of those that are left, none is over
      windows.begin("third", 100, 200)
      expect(windows.size()).toBe(many / 2 + 1)
      expect(windows.get("second 1", 100)).toBeDefined()
    }
  })

  it("are never more than the capacity: the oldest makes room, and no younger one", () => {
    const windows = Windows.make(3)
    for (const subject of ["a", "b", "c", "d"]) windows.begin(subject, 0, 100)
    expect(windows.size()).toBe(3)
    expect(["a", "b", "c", "d"].filter((subject) => windows.get(subject, 0) !== undefined)).toEqual(["b", "c", "d"])
  })

  it("outlive older ones of their subject", () => {
    const windows = Windows.make(10)
    for (const subject of ["x", "y", "a"]) windows.begin(subject, 0, 100)
    windows.begin("a", 100, 200)
    expect(windows.size()).toBe(2)
    // with this one, the first of a is forgotten
    windows.begin("z", 100, 200)
    expect(windows.size()).toBe(2)
    expect(windows.get("a", 100)).toBeDefined()
  })

  it("that end before older ones are over at once, and forgotten after them", () => {
    const windows = Windows.make(10)
    windows.begin("late", 0, 100)
    windows.begin("soon", 0, 10)
    windows.begin("x", 50, 150)
    expect(windows.get("soon", 50)).toBeUndefined()
    expect(windows.size()).toBe(3)
    windows.begin("y", 100, 200)
    expect(windows.size()).toBe(2)
  })
})
