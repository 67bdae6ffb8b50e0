// What the index answers while faces are clustered.
import { type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Folders } from '../folders.ts';
import type { Store } from '../store/store.ts';
import { peopleErrors, type peopleMessages } from './contract.ts';
import type { OpenClusterings } from './open-clusterings.ts';

export interface ClusteringParts {
  readonly folders: Folders;
  readonly clusterings: OpenClusterings;
  /** Of faces that one step of a beginning clustering reads; undefined: as many as take some 10 ms. */
  readonly clusteringBytes: number | undefined;
}

type Names = 'begin_clustering' | 'clustering_vectors' | 'commit_clustering' | 'end_clustering';
type ClusteringContract = Contract<Pick<typeof peopleMessages, Names>>;

export function clusteringHandlers(parts: ClusteringParts): Handlers<ClusteringContract> {
  const { clusterings } = parts;
  return {
    begin_clustering: (request) => begin(parts, request),
    clustering_vectors: ({ clustering, from, most }) => {
      const answer = clusterings.opened(clustering).clustering.vectors(from, most);
      return new Sent(answer, { transfer: [answer.vectors.buffer, answer.weak.buffer] });
    },
    commit_clustering: (request) => commit(parts, request),
    end_clustering: ({ clustering }) => {
      clusterings.end(clustering);
      return {};
    },
  };
}

function begin(
  parts: ClusteringParts,
  { cache_dir, cluster_job_name: name, begun, ...asked }: Request<ClusteringContract, 'begin_clustering'>,
) {
  const { folders, clusterings } = parts;
  return folders.with(cache_dir, (store) => {
    const number = begun ?? clusterings.add(cache_dir, store.people.begin({ name, ...asked }));
    const { clustering } = clusterings.get(number);
    const done = step(parts, number, store);
    const { entries, missing, unreadable, before } = clustering;
    const answer = {
      done,
      clustering: number,
      entries,
      missing,
      unreadable,
      before: before && { labels: before.labels, neighbours: before.neighbours },
    };
    const transfer = before === null ? [] : [before.labels.buffer, before.neighbours.buffer];
    return new Sent(answer, { transfer: transfer as ArrayBuffer[] });
  });
}

/** After an error it is not open. */
function step({ clusterings, clusteringBytes }: ClusteringParts, number: number, store: Store): boolean {
  const { clustering } = clusterings.get(number);
  try {
    if (clustering.isOf(store.people.faces)) return clustering.step(clusteringBytes);
    throw peopleErrors.CLUSTERING_CHANGED(`${store.folder} was reopened in the meantime; cluster it again`);
  } catch (error) {
    clusterings.end(number);
    throw error;
  }
}

function commit(
  { folders, clusterings }: ClusteringParts,
  request: Request<ClusteringContract, 'commit_clustering'>,
) {
  const { clustering: number, labels, neighbours, eps, clear_names } = request;
  const { cache_dir, clustering } = clusterings.opened(number);
  for (const [field, values] of Object.entries({ labels, neighbours })) {
    if (values.length === clustering.entries) continue;
    throw engineErrors.INVALID_MESSAGE(`${field}: ${values.length} for ${clustering.entries} entries`);
  }
  return folders.with(cache_dir, (store) => {
    const { report, cluster_ids, clusters, names } = store.people.commit(
      clustering,
      labels,
      neighbours,
      eps,
      clear_names,
    );
    const aligned = cluster_ids.map((id) => names[id] ?? '');
    const answer = { report, cluster_ids, clusters, names: aligned };
    clusterings.end(number);
    return new Sent(answer, { transfer: [clusters.buffer] });
  });
}
