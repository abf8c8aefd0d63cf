/** The fields of the manifests in docs/ops/kubernetes that these rules check. */
export type Manifest = {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector?: Labels | { readonly matchLabels: Labels }
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod }
    readonly ports?: readonly { readonly targetPort: string }[]
    readonly backoffLimit?: number
    readonly strategy?: { readonly rollingUpdate?: { readonly maxUnavailable: number } }
    readonly podSelector?: { readonly matchLabels: Labels }
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly PolicyRule[]
    readonly egress?: readonly PolicyRule[]
  }
}

type Labels = Readonly<Record<string, string>>

type PolicyRule = {
  readonly from?: readonly unknown[]
  readonly to?: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
  }[]
  readonly ports?: readonly { readonly port: number }[]
}

export type Pod = {
  readonly terminationGracePeriodSeconds?: number
  readonly automountServiceAccountToken?: boolean
  readonly enableServiceLinks?: boolean
  readonly securityContext?: { readonly runAsNonRoot?: boolean; readonly runAsUser?: number }
  readonly containers: readonly Container[]
  readonly volumes: readonly { readonly name: string; readonly emptyDir?: { readonly sizeLimit?: string } }[]
}

type Container = {
  readonly image: string
  readonly command: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean
    readonly readOnlyRootFilesystem?: boolean
    readonly capabilities?: { readonly drop?: readonly string[] }
  }
  readonly resources?: {
    readonly requests?: { readonly cpu?: string; readonly memory?: string }
    readonly limits?: { readonly memory?: string }
  }
  readonly volumeMounts: readonly {
    readonly name: string
    readonly mountPath: string
    readonly readOnly?: boolean
  }[]
}

type Probe = { readonly httpGet?: { readonly path: string; readonly port: string } }

/** Properties of a process that the image and compose.yaml define and the manifests must repeat. */
export type Process = {
  readonly command: readonly string[]
  /** Writable directories. */
  readonly writable: readonly string[]
  readonly settings: readonly string[]
  /** Port numbers by name. */
  readonly ports: Readonly<Record<string, number>>
  /** Names of the secrets that the process receives. */
  readonly secrets: readonly string[]
}

export type Facts = {
  readonly uid: number
  readonly image: string
  readonly processes: Readonly<Record<string, Process>>
}

type Subject = {
  readonly pod: Pod
  readonly container: Container
  readonly process: Process
  readonly facts: Facts
}

type Rule = { readonly name: string; readonly isKept: (subject: Subject) => boolean }

/** Minimum grace period of a pod. It must exceed the 25 s after which a stopping process ends itself. */
const MIN_GRACE_SECONDS = 30

const OF_PODS: readonly Rule[] = [
  {
    name: 'runs as the image’s user, not root',
    isKept: ({ pod, facts }) =>
      pod.securityContext?.runAsNonRoot === true && pod.securityContext.runAsUser === facts.uid,
  },
  {
    name: 'has no capabilities, and writes nothing in its image',
    isKept: ({ container: { securityContext } }) =>
      securityContext?.allowPrivilegeEscalation === false &&
      securityContext.readOnlyRootFilesystem === true &&
      securityContext.capabilities?.drop?.join() === 'ALL',
  },
  {
    name: 'has no cluster token, and no environment variables of other services',
    isKept: ({ pod }) => pod.automountServiceAccountToken === false && pod.enableServiceLinks === false,
  },
  { name: 'uses our image', isKept: ({ container, facts }) => container.image === facts.image },
  {
    name: 'runs the image’s command',
    isKept: ({ container, process }) => container.command.join(' ') === process.command.join(' '),
  },
  {
    name: 'requests memory and CPU, and has a memory limit',
    isKept: ({ container: { resources } }) =>
      Boolean(resources?.requests?.cpu && resources.requests.memory && resources.limits?.memory),
  },
  {
    name: 'writes only where compose.yaml allows it, in volumes with a size limit, and mounts every volume',
    isKept: ({ pod: { volumes }, container: { volumeMounts }, process: { writable } }) => {
      const places = volumeMounts
        .filter(({ readOnly }) => readOnly !== true)
        .map(({ mountPath }) => mountPath)
      const bounded = volumes
        .filter(({ emptyDir }) => emptyDir?.sizeLimit !== undefined)
        .map(({ name }) => name)
      const mounted = volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ name }) => name)
      return (
        isSame(places, writable) &&
        isSame(mounted, bounded) &&
        isSame(
          volumeMounts.map(({ name }) => name),
          volumes.map(({ name }) => name),
        )
      )
    },
  },
  {
    name: 'sets only existing settings, none of them secret',
    isKept: ({ container: { env = [] }, process: { settings } }) =>
      env.every(
        ({ name, value }) => settings.includes(name) && value !== '' && !/SECRET|_KEY$|_URL$/.test(name),
      ),
  },
  {
    name: 'receives only its own secrets',
    isKept: ({ container: { envFrom }, process: { secrets } }) =>
      isSame(
        envFrom.map(({ secretRef }) => secretRef.name),
        secrets,
      ),
  },
  {
    name: 'listens on the ports of its settings',
    isKept: ({ container: { ports = [] }, process }) =>
      isSame(
        ports.map(({ name, containerPort }) => `${name} ${containerPort}`),
        Object.entries(process.ports).map(([name, port]) => `${name} ${port}`),
      ),
  },
  {
    name: 'is alive while its event loop runs, and receives requests while it is ready',
    isKept: ({ container: { ports, livenessProbe, readinessProbe, startupProbe } }) =>
      ports === undefined ||
      [livenessProbe, readinessProbe, startupProbe]
        .map((probe) => `${probe?.httpGet?.path} ${probe?.httpGet?.port}`)
        .join() === '/livez internal,/readyz internal,/livez internal',
  },
  {
    name: 'has enough time to stop',
    isKept: ({ pod: { terminationGracePeriodSeconds = 0 }, container: { ports } }) =>
      ports === undefined || terminationGracePeriodSeconds >= MIN_GRACE_SECONDS,
  },
]

/** Returns the problems of the manifests, each with the name of its resource. */
export function findManifestProblems(manifests: readonly Manifest[], facts: Facts): readonly string[] {
  const pods = manifests.flatMap(({ metadata, spec }) =>
    spec.template ? [{ name: metadata.name, ...spec.template }] : [],
  )
  const ofPods = pods.flatMap(({ name, metadata, spec: pod }) => {
    const process = facts.processes[metadata.labels['app.kubernetes.io/component'] ?? '']
    const [container] = pod.containers
    if (process === undefined || container === undefined || pod.containers.length > 1)
      return [`${name}: does not consist of one container that runs one of our processes`]
    return OF_PODS.filter(({ isKept }) => !isKept({ pod, container, process, facts })).map(
      (rule) => `${name}: ${rule.name}`,
    )
  })
  return [...ofPods, ...findSelectorProblems(manifests), ...findPolicyProblems(manifests, facts)]
}

/**
 * Finds deployments that stop a pod before its replacement is ready, deployments without a disruption budget, and
 * selectors and target ports that match no pod.
 */
function findSelectorProblems(manifests: readonly Manifest[]): readonly string[] {
  const pods = manifests.flatMap(({ spec }) => (spec.template ? [spec.template] : []))
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
  const budgets = manifests
    .filter(({ kind }) => kind === 'PodDisruptionBudget')
    .map(({ metadata }) => metadata.name)
  const careless = deployments.filter(({ spec }) => spec.strategy?.rollingUpdate?.maxUnavailable !== 0)
  const unbudgeted = deployments.filter(({ metadata }) => !budgets.includes(metadata.name))
  const lost = manifests.filter(({ spec }) => {
    const wanted = labelsOf(spec)
    const isOf = (labels: Labels) =>
      Object.entries(wanted ?? {}).every(([name, value]) => labels[name] === value)
    return wanted !== undefined && !pods.some(({ metadata }) => isOf(metadata.labels))
  })
  const deaf = manifests.filter(({ spec }) =>
    spec.ports?.some(({ targetPort }) =>
      pods.every(({ spec: pod }) =>
        pod.containers.every(({ ports = [] }) => ports.every(({ name }) => name !== targetPort)),
      ),
    ),
  )
  return [
    ...careless.map(({ metadata }) => `${metadata.name}: stops a pod before its replacement is ready`),
    ...unbudgeted.map(({ metadata }) => `${metadata.name}: has no disruption budget`),
    ...lost.map(({ metadata }) => `${metadata.name}: selects no pod`),
    ...deaf.map(({ metadata }) => `${metadata.name}: targets a port that no pod has`),
  ]
}

function labelsOf({ selector, podSelector }: Manifest['spec']): Labels | undefined {
  if (podSelector !== undefined) return podSelector.matchLabels
  if (selector === undefined) return undefined
  return 'matchLabels' in selector && typeof selector['matchLabels'] === 'object'
    ? selector.matchLabels
    : (selector as Labels)
}

/**
 * Reports network policies that accept any peer, open a port on which no process listens, or allow access to the
 * cloud's metadata, and a missing policy that denies by default.
 */
function findPolicyProblems(manifests: readonly Manifest[], { processes }: Facts): readonly string[] {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec)
  const isClosed = policies.some(
    ({ policyTypes, ingress, egress }) =>
      policyTypes?.join() === 'Ingress,Egress' && ingress === undefined && egress === undefined,
  )
  const into = policies.flatMap(({ ingress = [] }) => ingress)
  const ports = Object.values(processes).flatMap((process) => Object.values(process.ports))
  const open = into.filter(({ from = [] }) => from.length === 0)
  const unknown = into.flatMap((rule) => rule.ports ?? []).filter(({ port }) => !ports.includes(port))
  const blocks = policies
    .flatMap(({ egress = [] }) => egress)
    .flatMap(({ to = [] }) => to)
    .flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : []))
  const leaky = blocks.filter(
    ({ except = [] }) => !except.includes('169.254.0.0/16') && !except.includes('fe80::/10'),
  )
  return [
    ...(isClosed ? [] : ['policies: do not deny by default']),
    ...open.map(() => 'policies: allow connections from any peer'),
    ...unknown.map(({ port }) => `policies: open port ${port}, where no process listens`),
    ...leaky.map(({ cidr }) => `policies: let pods reach a cloud’s metadata through ${cidr}`),
  ]
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.toSorted().join() === right.toSorted().join()
}
