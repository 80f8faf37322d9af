// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.model.change.ModelPlan;
import io.multimed.server.dispatcher.administration.Administration;
import io.multimed.server.propagation.replication.Drift;
import io.multimed.server.propagation.replication.HeldTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The operations of administrators, each of which belongs to the satellites, the master, or the whole model. */
record RunningSystem(SatelliteManager satellites, MasterControl master, ModelChanger model) implements Administration {
    @Override
    public void add(String name, String definition) throws SQLException, InterruptedException {
        satellites.add(name, definition);
    }

    @Override
    public void drain(String name, DrainOptions options) throws SQLException, InterruptedException {
        satellites.drain(name, options);
    }

    @Override
    public void resume(String name) throws SQLException {
        satellites.resume(name);
    }

    @Override
    public void remove(String name, DrainOptions options) throws SQLException, InterruptedException {
        satellites.remove(name, options);
    }

    @Override
    public void reseed(String name, DrainOptions options) throws SQLException, InterruptedException {
        satellites.reseed(name, options);
    }

    @Override
    public void restart(String name, DrainOptions options) throws SQLException, InterruptedException {
        satellites.restart(name, options);
    }

    @Override
    public void restartMaster(DrainOptions options) throws SQLException, InterruptedException {
        master.restart(satellites.model().master(), options);
    }

    @Override
    public void pauseMaster(Duration wait) throws SQLException, InterruptedException {
        master.pause(wait);
    }

    @Override
    public void resumeMaster() throws SQLException, InterruptedException {
        master.resume();
    }

    @Override
    public ModelPlan plan(String definition) throws SQLException {
        return model.plan(definition);
    }

    @Override
    public List<StepReport> apply(String definition, Optional<String> plan, Duration wait)
            throws SQLException, InterruptedException {
        return model.apply(definition, plan, wait);
    }

    @Override
    public List<Drift> verify(Optional<String> satellite, boolean repair) throws SQLException, InterruptedException {
        return satellites.verify(satellite, repair);
    }

    @Override
    public List<HeldTable> tables() throws SQLException {
        return satellites.tables();
    }
}
