// What the index answers while faces are clustered.
import { type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Folders } from '../folders.ts';
import type { peopleMessages } from './contract.ts';
import type { OpenClusterings } from './open-clusterings.ts';

export interface ClusteringParts {
  readonly folders: Folders;
  readonly clusterings: OpenClusterings;
}

type Names = 'begin_clustering' | 'clustering_vectors' | 'commit_clustering' | 'end_clustering';
type ClusteringContract = Contract<Pick<typeof peopleMessages, Names>>;

export function clusteringHandlers(parts: ClusteringParts): Handlers<ClusteringContract> {
  const { clusterings } = parts;
  return {
    begin_clustering: (request) => begin(parts, request),
    clustering_vectors: ({ clustering, from, most }) => {
      const answer = clusterings.get(clustering).clustering.vectors(from, most);
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
  { folders, clusterings }: ClusteringParts,
  { cache_dir, cluster_job_name: name, ...asked }: Request<ClusteringContract, 'begin_clustering'>,
) {
  return folders.with(cache_dir, (store) => {
    const clustering = store.people.begin({ name, ...asked });
    const { entries, missing, unreadable, before } = clustering;
    const answer = {
      clustering: clusterings.add(cache_dir, clustering),
      entries,
      missing,
      unreadable,
      before: before && { labels: before.labels, neighbours: before.neighbours },
    };
    const transfer = before === null ? [] : [before.labels.buffer, before.neighbours.buffer];
    return new Sent(answer, { transfer: transfer as ArrayBuffer[] });
  });
}

function commit(
  { folders, clusterings }: ClusteringParts,
  request: Request<ClusteringContract, 'commit_clustering'>,
) {
  const { clustering: number, labels, neighbours, eps, clear_names } = request;
  const { cache_dir, clustering } = clusterings.get(number);
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
