import type { Mutant } from '../mutant.ts'

const API_ROLE = 'test/integration/adversary/api-role.test.ts'
/** What its list tries is named there. */
const REFUSED = 'is refused'
const CARE = 'test/integration/chain-feed/feed-care.test.ts'
const TERMS = 'test/unit/domain/find-terms-problem.test.ts'
const SEEN_FACTORIES = 'shared/db/migrations/000110_seen_factories.sql'

/** What must hold where addresses, transactions and fees are TRON's. */
export const TRON_RULES: readonly Mutant[] = [
  {
    rule: 'no charge has a factory whose code nobody has seen',
    file: SEEN_FACTORIES,
    take: 'and (c.is_simulated or exists (',
    put: 'and (true or exists (',
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'a factory is believed when its code was seen to be ours',
    file: 'indexer/chain-feed/feed-care.ts',
    take: "if (check === 'match') await believeFactory()",
    put: 'await believeFactory()',
    test: { file: CARE, title: 'believes none that was mistyped' },
  },
  {
    rule: 'a factory that is only configured is not believed for that',
    file: 'shared/db/charges/daemon/service-terms.ts',
    take: 'FAMILIES[family].fixedFactory === factory',
    put: 'FAMILIES[family].fixedFactory !== undefined && factory !== undefined',
    test: { file: 'test/integration/db/service-terms.test.ts', title: 'a factory that is ours for certain' },
  },
  {
    rule: 'an event on TRON tells of the charge’s own address',
    file: SEEN_FACTORIES,
    take: "c.family = 'tron' and d.address = tron_address(c.address)",
    put: "c.family = 'tron'",
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'no charge accepts pairs of two families',
    file: SEEN_FACTORIES,
    take: 'where d.family <> c.family)',
    put: 'where false)',
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'the daemon believes no charge that accepts pairs of two families',
    file: 'shared/domain/find-terms-problem.ts',
    take: '    findPairProblem(charge) ??\n',
    put: '',
    test: { file: TERMS, title: 'accepts a pair of another family' },
  },
]
