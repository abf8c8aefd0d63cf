/** A place in the product that histories must reach, because its code protects money or trust. */
export type Marker = {
  /** The rule as in the table of mutants, a branch of the quorum decision, or a transition of a machine. */
  readonly name: string
  /** The file and the declaration; `machines` for a transition. */
  readonly at: string
  /** What counts as reached. */
  readonly counts: /** The place was executed. */
    | 'executions'
    /** The place was evaluated, and the mutant's value would have been different. */
    | 'differences'
    /** The condition was evaluated, and its value alone determined the result. */
    | 'decisions'
    /** The condition was evaluated. It must have both values, so only the rarer value counts. */
    | 'both values'
    /** Nothing, because the rule is evaluated once, when its module is loaded. */
    | 'nothing'
}

/** How often a marker was reached. */
export type Count = {
  /** Number of executions or evaluations. */
  readonly times: number
  /** Number of `times` that count: all, the differences, the decisions, or those with the value `true`. */
  readonly marked: number
  /** Number of histories in which the marker was reached. */
  readonly histories: number
}
