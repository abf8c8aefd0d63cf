/** A rule of the service that was found by attacking it, and the rows of the table that take it out, or a part of it. */
export type Guarded = { readonly rule: string; readonly rows: readonly string[] }

/**
 * What must hold, by what the service does: watching, deciding, answering, paying out, believing, telling. Each has at
 * least one row, so that none of them can be lost unnoticed.
 */
export const GUARDED: readonly Guarded[] = [
  {
    rule: 'Every row above a durable mark is read each time.',
    rows: ['rows are read from the durable low-water mark on, not from the head'],
  },
  {
    rule: 'Missing is not vanished: absence holds expiry, and a node’s answer at depth proves more.',
    rows: [
      'a transfer mined in time that is missing holds its charge open',
      'nothing has vanished before a node without it is past its depth',
      'only rows that a schema has shown can go missing',
      'what is above the head is not judged missing',
    ],
  },
  {
    rule: 'Addresses are looked up in the database for each answer, are known for ever, and a failed look-up fails the request.',
    rows: [
      'addresses stay known for ever',
      'addresses stay known for ever in the question for a range, too',
      'a failed look-up of addresses fails the request',
      'a changed filter drops what Ponder has fetched',
    ],
  },
  {
    rule: 'The transport drops nothing that we need.',
    rows: [
      'what leaves an escrow is kept',
      'what our splits say is kept',
      'an empty answer that the bloom speaks against is settled by asking for all logs',
    ],
  },
  {
    rule: 'A deployment has one owner, and a Ponder ends with its daemon.',
    rows: [
      'a Ponder of an earlier owner commits nothing',
      'the lock of a schema in use is not cleared',
      'a Ponder ends with the daemon that started it',
    ],
  },
  {
    rule: 'A new generation is used once it is level; what is switched off is watched on.',
    rows: ['a new generation is used once it is level, and not before'],
  },
  {
    rule: 'Charges are locked in the order of their ids, and facts are consumed by id.',
    rows: [
      'charges are locked in the order of their ids',
      'what the feed takes back between reading and marking is not credited',
    ],
  },
  {
    rule: 'The feed moves its mark by compare-and-swap, with its facts.',
    rows: [
      'the feed moves its mark by compare-and-swap, not by the row lock alone',
      'facts and head are committed together',
      'nothing is concluded while Ponder is not ready',
    ],
  },
  {
    rule: 'A charge that fails is parked, and what lost a deadlock is done again.',
    rows: [
      'a charge whose turn fails is parked, and the others have theirs',
      'what another build has parked is taken up, and what this one has is not',
      'the loser of a deadlock is run again',
    ],
  },
  {
    rule: 'A payment is one row, however often it is included.',
    rows: [
      'the identity of a payment is its ordinal, not its log index',
      'transfers of zero count in the ordinals',
    ],
  },
  {
    rule: 'Expiry goes by blocks at depth and by the database’s clock.',
    rows: [
      'expiry waits for a block so late at depth, not for a head',
      'nothing expires before the deadline by our own clock',
      'what is mined in the second of the deadline is late',
    ],
  },
  {
    rule: 'Events are numbered from one counter.',
    rows: ['events get their numbers from one locked counter'],
  },
  {
    rule: 'The salt of a charge is the hash of its secret id.',
    rows: ['the salt of a charge is the hash of its id', 'an id has 130 random bits'],
  },
  {
    rule: 'Each role of the database may no more than it must.',
    rows: [
      'the daemon cannot change the terms of a charge',
      'the daemon cannot change what was signed',
      'the daemon switches no pair that an operator has paused',
      'Ponder reads of our tables which addresses are charges’, and nothing else',
    ],
  },
  {
    rule: 'A forged request credits nothing; a charge has one open request of a kind, withdrawn only before it is begun.',
    rows: [
      'no trigger of the sandbox moves a live charge, whoever wrote it',
      'a simulated order is moved by the releaser’s signature alone',
      'a charge has one open request of a kind',
      'what the daemon has begun is not withdrawn',
    ],
  },
  {
    rule: 'A charge is of one family, its event tells of its own address, and its factory’s code was seen.',
    rows: [
      'no charge has a factory whose code nobody has seen',
      'a factory is believed when its code was seen to be ours',
      'an event on TRON tells of the charge’s own address',
      'no charge accepts pairs of two families',
      'the daemon believes no charge that accepts pairs of two families',
    ],
  },
  {
    rule: 'Work exists only while something is owed; dust waits.',
    rows: [
      'a charge is settled when what decides it is distributed, and not before',
      'what somebody has distributed is not paid again before it is counted',
      'dust waits until it is worth a transaction',
      'late money of an expired charge settles nothing below the minimum',
      'dust does not hold the settlement back',
    ],
  },
  {
    rule: 'Held is not settled.',
    rows: [
      "the merchant's own held share keeps the settlement pending",
      'an escrow ends when nearly all of its credits have left, not when something has',
    ],
  },
  {
    rule: 'A nonce carries one transaction until that is final; few are in flight.',
    rows: [
      'nothing is signed while a transaction of the payout is unresolved',
      'a transaction is resolved at its confirmation depth and not before',
      'a transaction that a reorganization has removed is sent again',
      'at most eight transactions are unmined',
    ],
  },
  {
    rule: 'Where there are no nonces, others are signed only when a quorum agrees that nothing was paid.',
    rows: [
      'others are signed only when the expiration lies in a solid block',
      'one node of two does not say alone what became of a transaction',
      'nothing is signed beside what one node says has succeeded',
      'a node that has stopped, or is in the future, does not set the clock of our transactions',
      'a transaction expires only by a quorum of solid blocks',
      'a solid block ahead of our clock ends no transaction',
    ],
  },
  {
    rule: 'A relayer without funds burns nothing and fails nothing.',
    rows: [
      'nothing is signed that our TRX and energy do not pay for',
      'an account without TRX is no failed attempt',
      'what is signed in one turn together is paid for',
    ],
  },
  {
    rule: 'An order of a releaser holds for five minutes.',
    rows: ['an order of a releaser is executed for five minutes', 'what is over is not mined hours later'],
  },
  {
    rule: 'No node is believed before its chain id was read from that very node.',
    rows: [
      'no answer of a node is believed before its chain id',
      'a node says its chain id again after a failure',
    ],
  },
  {
    rule: 'An empty range is a claim: expiry needs evidence from elsewhere, of Safes as of splits.',
    rows: [
      'no charge ends before its balances were read',
      'evidence is gathered at the block and time that a quorum shows',
      'every transaction that a node lists is put to a quorum before its range is passed',
      'a Safe is compared as well as its split',
      'an excess at any block of any node holds a charge open',
    ],
  },
  {
    rule: 'What counted is struck only if every node denies it, and no status moves back.',
    rows: [
      'nothing is struck while a node is silent',
      'nothing is struck while a node shows it',
      'nothing is struck while a node shows another block there',
      'the daemon strikes nothing without an order',
    ],
  },
  {
    rule: 'Money from itself is no payment.',
    rows: ['money from the charge itself credits nothing', 'a split pays no incentive to itself'],
  },
  {
    rule: 'Our key, and a keeper’s, signs only what it has computed itself.',
    rows: [
      'what is called with a value is not signed',
      'nothing is signed for another chain',
      'nothing is signed for the Safe of a stranger',
      'a charge whose payees follow from nothing is not believed',
      'a keeper signs nothing but a call to the factory that it knows',
      'a keeper distributes from the split that the terms make',
      'no tip is above its bound',
    ],
  },
  {
    rule: 'A silent peer is a dead peer.',
    rows: [
      'PostgreSQL ends the session of an owner of whom it hears nothing',
      'an owner asks again and again whether anybody hears him',
      'an owner waits for an answer no longer than four seconds',
      'an unreadable stream is bounded by bytes, not by events alone',
      'a database that says nothing ends the daemon',
    ],
  },
  {
    rule: 'What others write is bounded before it is looked at.',
    rows: ['what a node wrote is cut before anything looks at it', 'metadata is bounded'],
  },
  { rule: 'One bad row stops one row.', rows: ['one bad row stops one row'] },
  {
    rule: 'Failing endpoints have one slot each and at most half of all.',
    rows: ['failing endpoints together have half of the slots at most', 'a failing endpoint has one slot'],
  },
  {
    rule: 'A bad checksum asks no database, and strangers are counted by the /64.',
    rows: ['a wrong checksum of a key asks no database', 'strangers are counted by the /64 of their address'],
  },
  {
    rule: 'Nobody is asked for money that was sent, or may have been.',
    rows: [
      'nobody is asked for money while some of it was seen',
      'what is awaited is read before the charges',
      'what a wallet has sent hides what asks for money',
      'what a wallet is asked to send is kept before it is asked',
      'a wallet is not asked while it cannot be known what has come',
    ],
  },
  {
    rule: 'Nothing that one node says decides alone.',
    rows: [
      'votes are counted by operator',
      'silence never lowers the quorum',
      'a contradiction is not silence',
      'two values that both reach the quorum decide nothing',
      'whole receipts are compared',
      'nodes on two forks stop reconciliation',
      'no range is passed that fewer operators than the quorum have listed',
      'a balance is evidence only if a quorum reports it',
      'a missing row vanishes only by a quorum',
      'a check reports a payment only by a quorum',
      'a chain is quiet only if every node says so',
      'that a call reverts needs a quorum',
    ],
  },
  {
    rule: 'What a quorum has shown counts at depth, as it was shown, and only while its votes are enough.',
    rows: [
      'a row that a quorum has shown counts at its depth, and not before',
      'a row that says anything else than before is agreed no more',
      'a quorum marks only the row that says the same',
      'a row whose votes are no longer enough does not count',
      'what one node let count is put to a quorum later',
      'the database refuses a row that counts without a quorum',
      'the database refuses an event or a movement that counts without a quorum',
    ],
  },
  { rule: 'Counts of health are shared.', rows: ['askers of health share one statement'] },
]
