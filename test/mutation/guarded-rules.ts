/** A rule that was found by attacking the service, and the rules of the mutants that cover it. */
export type Guarded = { readonly rule: string; readonly rows: readonly string[] }

/**
 * Rules of the service by subject: watching, deciding, responding, paying out, trusting, notifying. Each needs at least
 * one mutant, so that its removal is noticed.
 */
export const GUARDED: readonly Guarded[] = [
  {
    rule: 'Each read of the feed covers every row above the durable watermark.',
    rows: ['rows are read from the durable watermark on, not from the head'],
  },
  {
    rule: 'A missing row blocks the expiry, and is orphaned only by a quorum of nodes at depth.',
    rows: [
      'a missing transfer that was mined in time blocks the expiry',
      'a row is orphaned only once its block is at confirmation depth on a node that lacks its payment',
      'only rows that a Ponder schema has shown can go missing',
      'a row above the head is not missing',
    ],
  },
  {
    rule: 'Our addresses are read for each response and kept permanently. A failed read fails the request.',
    rows: [
      'the address of a charge is recognized in any status of the charge',
      'range queries list the address of a charge in any status of the charge',
      'a failed look-up of addresses fails the request',
      'a changed filter deletes the data that Ponder has fetched',
    ],
  },
  {
    rule: 'The transport removes only logs that the feed does not need.',
    rows: [
      'transfers out of an escrow pass the filter',
      'events of our own splits pass the filter',
      'if the bloom filter contradicts an empty response, all logs of the block are fetched',
    ],
  },
  {
    rule: 'One daemon owns a deployment, and a Ponder process ends with its daemon.',
    rows: [
      'a Ponder of an earlier owner cannot commit',
      'the lock of a schema in use is not cleared',
      'a Ponder ends with the daemon that started it',
    ],
  },
  {
    rule: 'A new generation is used once it has caught up; a disabled pair is still watched.',
    rows: ['a new generation is used only once it has caught up'],
  },
  {
    rule: 'Charges are locked in the order of their ids, and facts are consumed by id.',
    rows: [
      'charges are locked in the order of their ids',
      'a transfer that the feed removes between the read and the mark is not credited',
    ],
  },
  {
    rule: 'The feed advances its watermark by compare-and-swap, together with its rows.',
    rows: [
      'the feed advances its watermark by compare-and-swap, not only under the row lock',
      'rows and head are committed in one transaction',
      'no decision is made while Ponder is not ready',
    ],
  },
  {
    rule: 'A charge that fails is quarantined, and a transaction that PostgreSQL aborted because of a deadlock is retried.',
    rows: [
      'a charge whose turn fails is quarantined, and the other charges are still processed',
      'a charge is released if another build has quarantined it, but not if this build has',
      'a transaction that PostgreSQL aborted because of a deadlock is retried',
    ],
  },
  {
    rule: 'A payment is one row, even if several blocks include it one after another.',
    rows: [
      'the identity of a payment is its ordinal, not its log index',
      'a transfer of zero gets an ordinal',
    ],
  },
  {
    rule: 'Expiry uses blocks at depth and the clock of the database.',
    rows: [
      'a charge expires once a block after its deadline is at confirmation depth, not once it is the head',
      'a charge never expires before its deadline by our own clock',
      'a transfer whose block time is exactly the deadline is late',
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
    rule: 'Each database role has the minimum privileges.',
    rows: [
      'the daemon cannot change the terms of a charge',
      'the daemon cannot change signed data',
      'the daemon cannot resume a pair that an operator has paused',
      'Ponder can read only the addresses of our charges',
    ],
  },
  {
    rule: 'A forged request does not credit a charge. A charge has at most one pending request of each kind, which is canceled only before it starts.',
    rows: [
      'a sandbox trigger never changes a live charge, regardless of its author',
      'a simulated order needs the releaser’s signature',
      'a charge has at most one pending request of each kind',
      'a request that the daemon has started is not canceled',
    ],
  },
  {
    rule: 'A charge has one family, its event contains its own address, and its factory’s code was verified.',
    rows: [
      'a charge needs a factory whose code a daemon has verified',
      'a factory is trusted only if its code matched our artifact',
      'the events of a charge on TRON contain its own address',
      'a charge does not accept pairs of two families',
      'the daemon does not trust a charge that accepts pairs of two families',
    ],
  },
  {
    rule: 'A payout exists only while an amount is owed; dust waits.',
    rows: [
      'a charge is settled only once the amounts that decide its settlement are distributed',
      'an amount that another sender has distributed is not paid again while that distribution is not yet counted',
      'dust waits until it is worth a transaction',
      'late payments to an expired charge do not start a settlement while the owed amount is below the minimum payout',
      'dust does not delay the settlement',
    ],
  },
  {
    rule: 'A held share is not settled.',
    rows: [
      "the merchant's own held share keeps the settlement pending",
      'an escrow ends when nearly all of its credits have left, not at the first transfer',
    ],
  },
  {
    rule: 'A nonce has one transaction until it is final, and the number of transactions in flight is limited.',
    rows: [
      'a payout with an unresolved transaction is not signed again',
      'a transaction is resolved exactly at its confirmation depth',
      'a transaction that a reorganization has removed is sent again',
      'at most eight transactions of an account are unmined',
    ],
  },
  {
    rule: 'Without nonces, another transaction is signed only if a quorum agrees that no payment was made.',
    rows: [
      'another transaction is signed only if a solidified block is past the expiration',
      'one of two nodes cannot decide the outcome of a transaction',
      'a payout is not signed again if one node reports success',
      'a single node whose head is stalled or ahead of the others does not set the time of our transactions',
      'a transaction counts as expired only if a quorum of nodes has a solidified block past the expiration',
      'a solidified block ahead of our clock does not end a transaction',
    ],
  },
  {
    rule: 'A relayer without funds spends no gas and fails no payout.',
    rows: [
      'a call is signed only if our TRX and energy cover its cost',
      'a lack of TRX in our account does not count as a failed attempt',
      'our account’s balance must cover a new transaction together with all unresolved transactions',
    ],
  },
  {
    rule: 'An order of a releaser is valid for five minutes.',
    rows: [
      'a releaser’s order is executed only within five minutes of its creation',
      'an expired transaction is not mined hours later',
    ],
  },
  {
    rule: 'A node is trusted only after its own chain id was read.',
    rows: [
      'the response of a node is used only after its chain id is verified',
      'the chain id of a node is verified again after a failure',
    ],
  },
  {
    rule: 'An expiry needs a second source besides an empty block range, for Safes and for splits.',
    rows: [
      'a charge expires only after its balances were read',
      'an expiry is verified at the block and time that a quorum shows',
      'a block range is completed only after a quorum has reported each listed transaction',
      'the balance of a Safe is compared as well as the balance of its split',
      'an excess balance that any node shows, at any block, prevents the expiry',
    ],
  },
  {
    rule: 'A counted row is struck only if every node denies it, and no status is reverted.',
    rows: [
      'a row is not struck while a node is silent',
      'a row is not struck while a node shows it',
      'a row is not struck while a node shows another block at its height',
      'the daemon strikes a row only on an open order of an operator',
    ],
  },
  {
    rule: 'Money from the charge itself is not a payment.',
    rows: ['money from the charge itself is not credited', 'a split does not pay an incentive to itself'],
  },
  {
    rule: 'Our key and a keeper’s key sign only calls that their own processes have built.',
    rows: [
      'a call with a value is not signed',
      'a call for another chain is not signed',
      'a call for an unknown Safe is not signed',
      'a charge whose payees match no known terms is not trusted',
      'a keeper signs only calls to the factory that it knows',
      'a keeper distributes only from the split that follows from the terms',
      'a tip that nodes suggest is paid only up to its bound',
    ],
  },
  {
    rule: 'A peer that stays silent counts as dead.',
    rows: [
      'PostgreSQL ends the session of a silent owner',
      'an owner keeps checking that the database responds',
      'an owner waits at most four seconds for a response',
      'the queue of a stream is limited in bytes, not only in events',
      'a silent database ends the daemon',
    ],
  },
  {
    rule: 'Untrusted input is limited before any code reads it.',
    rows: ['text from a node is truncated before any code reads it', 'metadata has a maximum size'],
  },
  {
    rule: 'A row that cannot be stored does not stop other rows.',
    rows: ['a row that cannot be stored does not stop the other rows'],
  },
  {
    rule: 'Failing endpoints have one slot each, and together at most half of all slots.',
    rows: ['failing endpoints together use at most half of the slots', 'a failing endpoint has one slot'],
  },
  {
    rule: 'A key with a wrong checksum does not cause a query, and clients without a key are counted by the /64 of their address.',
    rows: [
      'a key with a wrong checksum is rejected without a query',
      'clients without a key are counted by the /64 of their address',
    ],
  },
  {
    rule: 'A payment that was sent, or might have been, is not requested again.',
    rows: [
      'a payer is not asked again for an amount that was already detected',
      'a transfer counts as seen until it is credited or orphaned',
      'the wallet is not asked to pay an amount that is no longer due',
      'a payment that a wallet has sent hides the payment instructions',
      'a payment is recorded in the browser before the wallet is asked to send it',
      'no wallet request is made while the current state cannot be read',
    ],
  },
  {
    rule: 'A framed checkout and the page around it exchange messages only with each other.',
    rows: [
      'a framed page sends its reports only to the origin of the page that embeds it',
      'a framed page reports only to an origin that may embed it',
      'a framed page reports only to its parent window, and only after the parent has requested it',
      'a merchant’s page accepts messages only from the window of its own frame',
      'a merchant’s page accepts messages only from the checkout’s origin',
      'a merchant’s page greets only the checkout’s origin',
    ],
  },
  {
    rule: 'The report of one node never decides.',
    rows: [
      'votes are counted per operator, not per node',
      'a silent node never lowers the quorum',
      'a contradiction between nodes is not treated as silence',
      'there is no decision if two different values both reach the quorum',
      'receipts are compared by the content of their logs',
      'nodes on two forks stop reconciliation',
      'a block range is completed only if a quorum of operators has listed its logs',
      'a balance verifies an expiry only if a quorum reports it',
      'a missing row is orphaned only by a quorum',
      'a check reports a payment only with a quorum',
      'a chain is quiet only if every node responds',
      'a call counts as reverting only if a quorum reports it',
    ],
  },
  {
    rule: 'A corroborated row counts at depth, with the reported values, and only while its votes are sufficient.',
    rows: [
      'a corroborated row counts only once its block is at confirmation depth',
      'a row whose values have changed is no longer corroborated',
      'a quorum marks only the row with the same values',
      'a row whose votes are no longer sufficient does not count',
      'a row that was accepted from one node is later verified by a quorum',
      'a counted row that the feed has moved to another block is verified by a quorum',
      'the database rejects a credit without a quorum',
      'the database rejects a counted split event or escrow transfer without a quorum',
    ],
  },
  {
    rule: 'Simultaneous health checks share one set of counts.',
    rows: ['simultaneous health requests share one statement'],
  },
  {
    rule: 'A merchant gets all of their money without the service, and a forged record redirects none of it.',
    rows: [
      'the address of an archived charge follows from its terms',
      'the split of an archived charge follows from its terms',
      'only the pinned factory deploys the split of an archived charge',
      'if webhook secrets are given, an archived webhook counts only with its signature',
      'an exit does not pay a distributor',
      'an exit pays only charges whose terms name a payout address of the merchant',
      'an exit uses a node only for the chain whose id the node reports',
      'an exit waits for the transactions of an earlier run',
      'an exit signs with the nonce for which it has planned',
      'an exit plans again before it sends',
      'an exit rejects an escrow whose records name different splits',
      'an exit prepares an order for an escrow only if its terms are signed or confirmed',
      'an exit pays bounded fees, regardless of the fee that a node suggests',
      'an exit does not pay gas for dust',
      'an exit limits its total cost on EVM chains',
      'an exit limits its total cost on TRON',
      'a payment of an exit counts as paid only if the nodes of a majority of hosts agree',
      'a damaged line of an archive affects only its own record',
    ],
  },
]
