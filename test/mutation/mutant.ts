/** A rule taken out of the code, and the test that must notice. */
export type Mutant = {
  /** The rule, as a sentence: what holds while it is not taken out. */
  readonly rule: string
  readonly file: string
  /** Stands once in the file. */
  readonly take: string
  readonly put: string
  readonly test: Proof
}

/** A test file and part of a test's title (Mocha), or its function's name (Forge). */
export type Proof = { readonly file: string; readonly title: string }

/** Whether its test needs no PostgreSQL, chain or compiler, and so costs about a second. */
export function isCheap({ test }: Mutant): boolean {
  return test.file.startsWith('test/unit/') || test.file.startsWith('test/property/')
}

/**
 * Answers the file's text without the rule.
 *
 * @throws {Error} if what is to be taken out does not stand there exactly once: the table is older than the code
 */
export function mutate(text: string, { rule, file, take, put }: Mutant): string {
  const parts = text.split(take)
  if (parts.length !== 2)
    throw new Error(
      `“${rule}”: ${JSON.stringify(take)} stands ${parts.length - 1} times in ${file}, not once`,
    )
  return parts.join(put)
}
