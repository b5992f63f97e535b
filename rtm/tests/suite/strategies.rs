//! Every memory strategy against the oracle that stores all levels.

use rtm::engine::Backend;
use rtm::plan::{
    Envelope, Generator, ImagingCondition, RandRange, RandomBoundary, Replay, Strategy,
};
use rtm::propagate::Cpu;
use rtm::strategy::{Movie, Observer, memory, schedule};
use rtm::verify::problem::Problem;
use rtm::verify::scattering;
use rtm::{Real, Shot, ShotImage, metrics};

fn setting<T: Real>(nt: usize) -> (Problem, Shot<T>)
where
    Cpu: Backend<T>,
{
    let problem = Problem::lens([16, 15, 18], 5, 4, nt);
    let shot = problem.shot(&Cpu::new()).unwrap();
    (problem, shot)
}

fn with_all_sums(mut problem: Problem) -> Problem {
    problem.plan.illumination = true;
    problem
}

fn error<T: Real>(found: &ShotImage<T>, oracle: &ShotImage<T>) -> f64 {
    assert!(metrics::energy(&oracle.correlation.values) > 0.0);
    metrics::relative_l2(&found.correlation.values, &oracle.correlation.values)
}

fn assert_same_image(found: &ShotImage<f32>, oracle: &ShotImage<f32>, what: &str) {
    assert!(metrics::energy(&oracle.correlation.values) > 0.0);
    let bits = |image: &ShotImage<f32>| {
        let all = [
            Some(&image.correlation),
            image.source_energy.as_ref(),
            image.receiver_energy.as_ref(),
        ];
        all.into_iter().flatten().flat_map(|c| &c.values).map(|v| v.to_bits()).collect::<Vec<_>>()
    };
    assert!(bits(found) == bits(oracle), "{what}");
}

#[test]
fn checkpoints_give_the_oracle_bit_for_bit() {
    kept::once!();
    // 91 levels: 90 and 45 are multiples of some periods, so the last level is a checkpoint at
    // times.
    let (problem, shot) = setting::<f32>(91);
    let problem = with_all_sums(problem);
    let cpu = Cpu::new();
    let oracle = problem.migrate(&cpu, &shot, Strategy::StoreAll).unwrap();
    assert_eq!(oracle.counts.stencil, 180);
    for ks_store in [3, 4, 9, 10, 45, 90, 200] {
        for replay in [Replay::EachLevel, Replay::Segment] {
            let strategy = Strategy::Checkpoints { ks_store, replay };
            let found = problem.migrate(&cpu, &shot, strategy).unwrap();
            assert_same_image(&found, &oracle, &format!("{strategy:?}"));
            let plan = rtm::Plan { strategy, ..problem.plan.clone() };
            assert_eq!(found.counts.stencil, schedule::stencils(&plan), "{strategy:?}");
            assert_eq!(found.counts.cpml, [found.counts.stencil; 6], "{strategy:?}");
            assert_eq!(found.counts.imaging, 91);
        }
    }
    for slots in [1, 2, 3, 7, 200] {
        let strategy = Strategy::Binomial { slots };
        let found = problem.migrate(&cpu, &shot, strategy).unwrap();
        assert_same_image(&found, &oracle, &format!("{strategy:?}"));
        assert_eq!(found.counts.stencil, 91 + schedule::binomial_steps(90, slots), "{strategy:?}");
    }
}

#[test]
fn segments_and_binomial_checkpoints_cost_less() {
    let (nt, ks_store) = (2500, 50);
    assert!(schedule::segment_steps(nt, ks_store) < 3 * nt);
    // 50 checkpoints of two levels each, as many as the uniform ones take.
    assert!(nt + schedule::binomial_steps(nt - 1, 50) < 4 * nt);
    assert_eq!(schedule::uniform_steps(nt, ks_store, 1), 63_798);
}

#[test]
fn the_image_is_accumulated_each_ks_levels() {
    let (mut problem, shot) = setting::<f32>(60);
    let cpu = Cpu::new();
    for ks in [1usize, 2, 7, 59, 60, 100] {
        problem.plan.ks = ks;
        let oracle = problem.migrate(&cpu, &shot, Strategy::StoreAll).unwrap();
        assert_eq!(oracle.counts.imaging, 60usize.div_ceil(ks));
        for replay in [Replay::EachLevel, Replay::Segment] {
            let strategy = Strategy::Checkpoints { ks_store: 11, replay };
            let found = problem.migrate(&cpu, &shot, strategy).unwrap();
            assert!(found.correlation == oracle.correlation, "{ks} {strategy:?}");
            let plan = rtm::Plan { strategy, ..problem.plan.clone() };
            assert_eq!(found.counts.stencil, schedule::stencils(&plan));
        }
    }
}

#[test]
fn saved_boundaries_are_exact_within_rounding() {
    let cpu = Cpu::new();
    let (problem, shot) = setting::<f32>(120);
    let oracle = problem.migrate(&cpu, &shot, Strategy::StoreAll).unwrap();
    let found = problem.migrate(&cpu, &shot, Strategy::SaveBoundaries).unwrap();
    let e = error(&found, &oracle);
    assert!(e < 1e-4 && e > 0.0, "{e:e}");
    assert_eq!(found.counts.stencil, 3 * 120 - 4);
    assert_eq!(found.counts.cpml, [2 * 119; 6]);
    assert_eq!(found.counts.shells, [119, 118]);

    let (problem, shot) = setting::<f64>(120);
    let oracle = problem.migrate(&cpu, &shot, Strategy::StoreAll).unwrap();
    let e = error(&problem.migrate(&cpu, &shot, Strategy::SaveBoundaries).unwrap(), &oracle);
    assert!(e < 1e-12, "{e:e}");
}

#[test]
fn random_boundaries_give_a_noisy_image_of_the_same_reflectors() {
    let cpu = Cpu::new();
    let (mut problem, shot) = setting::<f32>(150);
    problem.plan.condition = ImagingCondition::SourceNormalisedPerShot;
    let oracle = problem.migrate(&cpu, &shot, Strategy::StoreAll).unwrap();
    for generator in [Generator::Lcg, Generator::Counter] {
        let boundary = RandomBoundary { generator, ..RandomBoundary::default() };
        let found = problem.migrate(&cpu, &shot, Strategy::RandomBoundaries(boundary)).unwrap();
        let e = error(&found, &oracle);
        // An image of nothing, or of something else, would be 1 or more away.
        assert!(e < 0.5 && e > 0.01, "{e}");
        assert_eq!(found.counts.stencil, 3 * 150 - 4);
        assert_eq!(found.counts.cpml, [149; 6]);
        assert!(found.source_energy.is_some() && found.receiver_energy.is_none());
    }
    // Each phase alone.
    for phase in 0..3 {
        let mut boundary = RandomBoundary::default();
        boundary.phases.modelling = phase == 0;
        boundary.phases.retropropagation = phase == 1;
        boundary.phases.backpropagation = phase == 2;
        let found = problem.migrate(&cpu, &shot, Strategy::RandomBoundaries(boundary)).unwrap();
        assert_eq!(found.counts.stencil, [149, 148, 149][phase]);
        assert_eq!(found.counts.imaging, 0);
        assert_eq!(metrics::energy(&found.correlation.values), 0.0);
    }
}

/// Whatever the velocities do, the way back is the way there: with nothing absorbed the image of a
/// random run does not know whether its velocities were stored or drawn again.
#[test]
fn both_generators_find_each_epoch_again() {
    let cpu = Cpu::new();
    let (problem, _) = setting::<f64>(150);
    for generator in [Generator::Lcg, Generator::Counter] {
        for ks_rand in [1, 7, 50, 1000] {
            let boundary = RandomBoundary {
                ks_rand,
                generator,
                range: RandRange::Symmetric,
                envelope: Envelope::Linear,
                ..RandomBoundary::default()
            };
            let e = scattering::energies::<f64>(&cpu, &problem, boundary, 10).unwrap();
            let largest = e.largest();
            assert!(
                e.left < 1e-12 * largest,
                "{generator:?} {ks_rand}: {:e} of {largest:e}",
                e.left
            );
        }
    }
}

#[test]
fn memory_is_what_the_formulas_say() {
    let (mut problem, shot) = setting::<f32>(40);
    // Rows that are alike would be stored once: none is.
    let nz = problem.plan.grid.n[2];
    for (i, v) in problem.velocity.values.iter_mut().enumerate() {
        *v += 0.01 * (i / nz) as f32;
    }
    let cpu = Cpu::new();
    for strategy in [
        Strategy::StoreAll,
        Strategy::Checkpoints { ks_store: 9, replay: Replay::EachLevel },
        Strategy::Checkpoints { ks_store: 9, replay: Replay::Segment },
        Strategy::Binomial { slots: 3 },
        Strategy::SaveBoundaries,
        Strategy::RandomBoundaries(RandomBoundary::default()),
        Strategy::RandomBoundaries(RandomBoundary {
            generator: Generator::Lcg,
            ..RandomBoundary::default()
        }),
    ] {
        let found = problem.migrate(&cpu, &shot, strategy).unwrap();
        let plan = rtm::Plan { strategy, ..problem.plan.clone() };
        let traces = (1 + shot.receivers.points.len()) * plan.nt;
        assert_eq!(memory::cpu_bytes::<f32>(&plan, traces), found.bytes, "{strategy:?}");
        // The padding of rows to whole vectors is all that is more than the formulas.
        assert!(memory::unpadded_bytes::<f32>(&plan, traces) < found.bytes, "{strategy:?}");
        // A model of one velocity takes the memory of one row.
        let plain = Problem {
            velocity: rtm::Cube::constant(plan.grid, 2000.0),
            plan: plan.clone(),
            ..problem.clone()
        };
        let saved = found.bytes - plain.migrate(&cpu, &shot, strategy).unwrap().bytes;
        assert!(saved > 9 * plan.grid.len() * 4 / 10, "{strategy:?}: {saved}");
    }
}

/// Keeps every level that a run shows.
#[derive(Default)]
struct Film {
    source: Vec<(usize, rtm::Cube<f32>)>,
    receivers: Vec<(usize, rtm::Cube<f32>)>,
    forward: usize,
}

impl Observer<f32> for Film {
    fn wants(&mut self, _: Movie, _: usize) -> bool {
        true
    }

    fn show(&mut self, movie: Movie, k: usize, field: &rtm::Cube<f32>) -> rtm::Result<()> {
        match movie {
            Movie::Forward => {
                self.forward += 1;
                assert_eq!(k, self.forward);
            }
            Movie::Backward => self.source.push((k, field.clone())),
            Movie::Receivers => self.receivers.push((k, field.clone())),
        }
        Ok(())
    }
}

/// The sums from which all conditions are made, from the levels that each strategy shows, by their
/// definition.
#[test]
fn sums_are_those_of_the_levels_shown() {
    let (problem, shot) = setting::<f32>(50);
    let mut problem = with_all_sums(problem);
    problem.plan.ks = 3;
    let cpu = Cpu::new();
    for strategy in [
        Strategy::StoreAll,
        Strategy::Checkpoints { ks_store: 7, replay: Replay::Segment },
        Strategy::Binomial { slots: 4 },
        Strategy::SaveBoundaries,
        Strategy::RandomBoundaries(RandomBoundary::default()),
    ] {
        let mut film = Film::default();
        let plan = rtm::Plan { strategy, ..problem.plan.clone() };
        let found =
            rtm::strategy::migrate(&cpu, &plan, &problem.velocity, &shot, &mut film).unwrap();
        let order =
            |levels: &[(usize, rtm::Cube<f32>)]| levels.iter().map(|l| l.0).collect::<Vec<_>>();
        let downwards: Vec<usize> = (0..50).rev().collect();
        assert_eq!(order(&film.source), downwards, "{strategy:?}");
        assert_eq!(order(&film.receivers), downwards, "{strategy:?}");
        assert_eq!(film.forward, 49, "{strategy:?}");
        let check = |found: &rtm::Cube<f32>, product: &dyn Fn(f32, f32) -> f32| {
            let mut sum = vec![0f64; found.values.len()];
            for ((k, s), (_, r)) in film.source.iter().zip(&film.receivers) {
                if k % 3 == 0 {
                    for (i, sum) in sum.iter_mut().enumerate() {
                        let p = found.grid.point(i).map(|i| i + plan.layers);
                        *sum += f64::from(product(s.at(p), r.at(p)));
                    }
                }
            }
            let found: Vec<f64> = found.values.iter().map(|v| f64::from(*v)).collect();
            let e = metrics::relative_l2(&found, &sum);
            assert!(e < 1e-6, "{strategy:?}: {e:e}");
        };
        check(&found.correlation, &|s, r| s * r);
        check(found.source_energy.as_ref().unwrap(), &|s, _| s * s);
        check(found.receiver_energy.as_ref().unwrap(), &|_, r| r * r);
    }
}

/// A run that is asked to stop stops.
#[test]
fn an_observer_can_stop_a_run() {
    struct Stop(usize);
    impl Observer<f32> for Stop {
        fn progress(&mut self, done: usize, steps: usize) -> bool {
            assert!(done <= steps);
            self.0 = done;
            done < 60
        }
    }
    let (problem, shot) = setting::<f32>(50);
    let mut stop = Stop(0);
    let found =
        rtm::strategy::migrate(&Cpu::new(), &problem.plan, &problem.velocity, &shot, &mut stop);
    assert_eq!((found.unwrap_err(), stop.0), (rtm::Error::Stopped, 60));
}

/// Static random velocities keep the energy, redrawn at each step they make it grow (spec 7.6 and
/// 7.7, on a grid for tests).
fn energy_grows(range: RandRange, n: usize, layers: usize, nt: usize) {
    let grid = rtm::Grid::uniform([n; 3], 20.0);
    let plan = rtm::Plan { layers, ..rtm::Plan::new(grid, 8, 0.001, nt, 10.0) };
    let problem = Problem::constant(plan, 2000.0, &[]);
    let run = |ks_rand| {
        let boundary = RandomBoundary {
            ks_rand,
            range,
            envelope: Envelope::Linear,
            ..RandomBoundary::default()
        };
        scattering::energies::<f32>(&Cpu::new(), &problem, boundary, 10).unwrap()
    };
    let fixed = run(usize::MAX);
    let limit = 10.0 * fixed.largest();
    assert_eq!(fixed.steps_above(limit), [0, 0], "{range:?}");
    assert!(fixed.left < 1e-6 * fixed.largest(), "{range:?}: {:e}", fixed.left);
    let moving = run(1);
    assert!(moving.largest() > limit, "{range:?}: {:e} {limit:e}", moving.largest());
    assert!(moving.steps_above(limit)[0] > 0);
}

#[test]
fn energy_grows_where_velocities_change_too_often() {
    kept::once!();
    for range in [RandRange::Full, RandRange::Nyquist, RandRange::FourNyquist] {
        energy_grows(range, 36, 8, 301);
    }
    // Symmetric velocities grow most slowly.
    energy_grows(RandRange::Symmetric, 40, 12, 801);
}

#[test]
#[ignore = "long: seconds; energy_grows_where_velocities_change_too_often has a smaller interior"]
fn energy_grows_in_a_larger_interior() {
    energy_grows(RandRange::Symmetric, 64, 12, 801);
}

/// The two fronts that random layers send back (spec 3.4): velocities symmetric about the model's
/// send back least from the inner edge, the range above the model's scatters the wave that went
/// through worst, and randomness from the first layer on reflects at once.
fn fronts_follow(n: usize) {
    let grid = rtm::Grid::uniform([n; 3], 20.0);
    let plan = rtm::Plan { layers: 16, ..rtm::Plan::new(grid, 8, 0.001, 3, 10.0) };
    let problem = Problem::constant(plan, 2000.0, &[]);
    let fronts = |range, envelope| {
        let ks_rand = usize::MAX;
        let boundary = RandomBoundary { ks_rand, envelope, range, ..RandomBoundary::default() };
        scattering::fronts::<f32>(&Cpu::new(), &problem, boundary).unwrap()
    };
    let modes = [RandRange::Full, RandRange::Nyquist, RandRange::FourNyquist, RandRange::Symmetric];
    let linear = modes.map(|range| fronts(range, Envelope::Linear));
    let [_, plain] = fronts(RandRange::Full, Envelope::Zero);
    for mode in 0..3 {
        assert!(linear[3][0] < 0.5 * linear[mode][0], "{linear:?}");
    }
    for mode in [0, 1, 3] {
        assert!(linear[mode][1] < 0.7 * linear[2][1] && linear[mode][1] < plain, "{linear:?}");
    }
    let [at_once, _] = fronts(RandRange::Full, Envelope::One);
    assert!(at_once > 10.0 * linear[0][0], "{at_once:e} {linear:?}");
}

#[test]
fn fronts_follow_mode_and_envelope() {
    kept::once!();
    fronts_follow(56);
}

#[test]
#[ignore = "long: seconds; fronts_follow_mode_and_envelope has a smaller interior"]
fn fronts_follow_mode_and_envelope_in_a_larger_interior() {
    fronts_follow(72);
}
