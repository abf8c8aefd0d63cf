/** The form of a domain or a configured name. It contains at least one letter. */
const NAME = /^(?=.*[a-z])[a-z0-9-]+(?:\.[a-z0-9-]+)*$/

/**
 * Creates the function that names node operators without revealing an IP address. It returns the operator's name or
 * domain; otherwise a number, counted among the listed operators without name and domain. The operator of a single
 * trusted node stays unnamed.
 */
export function createOperatorNames(lists: readonly (readonly string[])[]): (operator: string) => string {
  const unnamed = [...new Set(lists.flat())].filter((operator) => !isTrusted(operator) && !isName(operator))
  return (operator) => {
    if (isTrusted(operator)) return 'a single trusted node'
    return isName(operator) ? operator : `operator ${unnamed.indexOf(operator) + 1}`
  }
}

/** Returns whether the operator stands for the one node that the service trusted when the log was counted. */
function isTrusted(operator: string): boolean {
  return operator.startsWith('trusted:')
}

/** Returns whether the operator is a name or a domain. Unlike an IPv4 address, neither ends with an all-digit part. */
function isName(operator: string): boolean {
  return NAME.test(operator) && !/(?:^|\.)\d+$/.test(operator)
}
