/** An edit that removes a rule from the code, and the test that must then fail. */
export type Mutant = {
  /** The rule as a sentence that is true of the unchanged code. */
  readonly rule: string
  /**
   * The file and, after `#`, the declaration in it that contains the rule: `shared/domain/fee.ts#feeAmount`. Without
   * `#`, the whole file is searched.
   */
  readonly at: string
  /**
   * Code that occurs exactly once in the declaration, and is replaced by `put`. Formatting, comments and the names of
   * local variables do not matter.
   */
  readonly take: string
  readonly put: string
  readonly test: Proof
}

/** A test file, and part of a test's title (Mocha) or of a test function's name (Forge). */
export type Proof = { readonly file: string; readonly title: string }

/** Returns the path of the file that the mutant changes. */
export function fileOf({ at }: Pick<Mutant, 'at'>): string {
  return at.split('#')[0] ?? at
}

/** Whether the mutant's test needs no PostgreSQL, chain or compiler, and therefore takes about a second. */
export function isCheap({ test }: Mutant): boolean {
  return test.file.startsWith('test/unit/') || test.file.startsWith('test/property/')
}
